import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';

test('the pictures of the README can be made from real runs', () => {
  const folder = temporaryFolder();
  execFileSync(process.execPath, ['scripts/pictures.mjs', folder]);

  expect(readdirSync(folder).sort()).toEqual(readdirSync('docs/pictures').sort());
  for (const [name, shown] of [
    ['decision', '✓ Decided dispute'],
    ['restore', 'Undo: storectl --demo undo'],
    ['batch', '40 to create (draft)'],
  ]) {
    const picture = readFileSync(path.join(folder, `${name}-dark.svg`), 'utf8');
    expect(picture.replaceAll(/<[^>]+>/g, '')).toContain(shown);
  }
});
