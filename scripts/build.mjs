// Builds the program into dist/: the bundles of rolldown.config.mjs, and the help of every command as it is printed, which
// src/cli/program/prerendered.ts shows without a parser. Says nothing where nothing is wrong: npm runs it when the package is installed.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';
import { load, root } from './load.mjs';

process.chdir(root);
// One after the other: the first clears the folder.
const bundles = [];
for (const bundle of config) bundles.push(await build(bundle));

// What the launcher keeps compiled is of one build.
const hash = createHash('sha256');
for (const { output } of bundles) for (const { code } of output) hash.update(code ?? '');
writeFileSync(path.join('dist', 'build-id'), hash.digest('hex').slice(0, 16));

const { helpTexts } = await load('scripts/help-texts.ts');
for (const [words, text] of await helpTexts()) {
  const file = `${path.join('dist', 'help', ...words)}.txt`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
