import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { operations } from '../src/contract/operations/operations.ts';
import { failureText, layers } from './architecture/rules.ts';
import { findViolations, isDeclaration, layerOf } from './architecture/violations.ts';
import { importsOf, readSources, withoutComments } from './helpers/imports.ts';

const root = path.join(import.meta.dirname, '..');

test('the source keeps to the architecture', () => {
  const sources = readSources(root, 'src');

  expect(findViolations(sources)).toEqual([]);
  expect(new Set(sources.map(({ file }) => layerOf(file)))).toEqual(new Set(Object.keys(layers)));
  const imported = sources.flatMap(importsOf).filter(({ target }) => target === failureText.file);
  expect(new Set(imported.map(({ from }) => from))).toEqual(new Set(failureText.importers));
});

test('a change loads what draws tables, asks questions or writes settings on demand', () => {
  const imports = readSources(root, 'src')
    .flatMap(importsOf)
    .filter(({ loaded }) => loaded);
  // A decision shows the dispute before it is confirmed.
  const changes = operations.filter(({ id, class: own }) => own !== 'read' && id !== 'disputes.decide');
  const files = changes.map(
    ({ id }) => `src/commands/${id.replace('.', '/').replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}.ts`,
  );
  const found = new Set([...files, 'src/cli/main.ts']);
  for (const file of found) for (const { from, target } of imports) if (from === file) found.add(target);

  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  const costly = ['string-width', 'wrap-ansi', 'cli-table3', 'chalk', '@inquirer/core', 'conf', 'undici'];
  expect(costly.filter((name) => found.has(name))).toEqual([]);
  expect(found).toContain('commander');
});

test('every import statement of the source is seen by the check', () => {
  const sources = readSources(root, 'src').filter(({ file }) => !isDeclaration(file));
  const seen = sources.flatMap(importsOf).length;
  const written = sources
    .map(({ text }) => withoutComments(text))
    .join('\n')
    .match(/\bfrom '[^']+';|^import '[^']+';|\bimport\('[^']+'\)/gm);

  expect(seen).toBe(written?.length);
  expect(seen).toBeGreaterThan(300);
});
