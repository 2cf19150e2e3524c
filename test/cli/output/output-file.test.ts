import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withOutputFile } from '../../../src/cli/output/output-file.ts';
import { temporaryFolder } from '../../helpers/cli.ts';

test('a file that cannot get its name leaves no draft behind', async () => {
  const cwd = temporaryFolder();
  const parsed = { arguments: {}, options: new Map([['--output-file', ['out.json']]]) };

  const written = withOutputFile({ cwd }, parsed, async (write) => {
    mkdirSync(path.join(cwd, 'out.json'));
    write('{}');
  });

  await expect(written).rejects.toMatchObject({ failure: { code: 'unwritable_file' } });
  expect(readdirSync(cwd)).toEqual(['out.json']);
});
