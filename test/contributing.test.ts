import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSources } from './helpers/imports.ts';

const root = path.join(import.meta.dirname, '..');

test('CONTRIBUTING.md tells one change and one restore with each file named once, so that none has to be opened twice', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const story = text.slice(text.indexOf('## What happens to one change'), text.indexOf('## Glossary'));
  const files = [...story.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file, index) => files.indexOf(file) !== index)).toEqual([]);
});

test('CONTRIBUTING.md names every folder of the source, and only files and folders that exist', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const isNamed = (folder: string): boolean => {
    const row = (name: string) => rows.find((line) => line.startsWith(`| \`${name}/\` |`));
    if (row(folder) !== undefined) return true;
    const name = path.posix.basename(folder);
    return row(path.posix.dirname(folder))?.includes(`\`${name}/\``) ?? false;
  };
  const folders = new Set(readSources(root, 'src').map(({ file }) => path.posix.dirname(file)));
  const unnamed = [...folders].filter(
    (folder) =>
      !/^src(\/(cli|service))?$/.test(folder) && !folder.startsWith('src/commands/') && !isNamed(folder),
  );
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target);
  const paths = [...text.matchAll(/`((?:src|test|bin|\.github)\/[\w./-]*)`/g)].map(
    ([, target = '']) => target,
  );

  expect(unnamed).toEqual([]);
  expect([...links, ...paths].filter((target) => !existsSync(path.join(root, target)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(50);
});
