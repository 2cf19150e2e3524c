import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openFile } from '../../../src/cli/output/output-file.ts';
import { temporaryFolder } from '../../helpers/cli.ts';

test('a file that cannot get its name leaves no draft behind', () => {
  const cwd = temporaryFolder();
  const write = openFile({ cwd }, 'out.json');
  mkdirSync(path.join(cwd, 'out.json'));

  expect(() => write('{}')).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'unwritable_file' }) }),
  );
  expect(readdirSync(cwd)).toEqual(['out.json']);
});
