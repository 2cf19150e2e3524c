import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { showInPager } from '../../../src/cli/output/pager.ts';
import { editText } from '../../../src/cli/prompts/editor.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { makeEditor } from '../../helpers/editor.ts';

/** An environment with a key, and a script of these lines, which has the folder as `$FOLDER`. */
function programThat(script: string) {
  const folder = temporaryFolder();
  const program = makeEditor(folder, script);
  const env = { ...process.env, STORECTL_API_KEY: 'sk-secret', EDITOR: program, FOLDER: folder };
  return { program, io: { env, process, signal: new AbortController().signal }, folder };
}

test('neither the editor nor the pager has the key in its environment', async () => {
  const { program, io, folder } = programThat('env >> "$FOLDER/env"');

  await editText(io, 'text', path.join(folder, 'a.md'));
  expect(showInPager('text', program, io)).toBe(true);

  const env = readFileSync(path.join(folder, 'env'), 'utf8');
  expect(env.match(/^FOLDER=/gm)).toHaveLength(2);
  expect(env).not.toContain('sk-secret');
});

test.each([
  ['a text without one', 'Before', 'After'],
  ['a file that has one', 'Before\n', 'After\n'],
])('the line break at the end that editors add is no part of %s', async (_, before, after) => {
  const { io, folder } = programThat('printf "After\\n" > "$1"');
  expect(await editText(io, before, path.join(folder, 'a.md'))).toEqual({ text: after, failure: null });
});
