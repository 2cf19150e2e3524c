import { execFile } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What a path and a mask can break: shells, terminals, hooks, modes of files. */
const slice = [
  'test/acceptance/completion.test.ts',
  'test/acceptance/local-state.test.ts',
  'test/acceptance/launcher.test.ts',
  'test/acceptance/terminal.test.ts',
  'test/acceptance/widths.test.ts',
  'test/cli/output/hostile-text.test.ts',
  'test/cli/output/output-modes.test.ts',
];

test('tests pass in a folder with a space and an apostrophe in its name, with umask 077', async () => {
  const clone = path.join(temporaryFolder(), `it's a clone`);
  // Other tests make some of these meanwhile.
  const left = new Set(
    ['.git', 'node_modules', 'single', 'release', 'images'].map((name) => path.join(root, name)),
  );
  cpSync(root, clone, { recursive: true, filter: (source) => !left.has(source) });
  symlinkSync(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const line = `umask 077 && exec "$0" node_modules/vitest/vitest.mjs run ${slice.join(' ')}`;

  const { stdout } = await promisify(execFile)('sh', ['-c', line, process.execPath], {
    cwd: clone,
    env: { PATH: process.env.PATH, HOME: path.dirname(clone), NO_COLOR: '1' },
  }).catch((error: { stdout: string }) => error);

  expect(stdout).toMatch(/Test Files +7 passed \(7\)/);
});
