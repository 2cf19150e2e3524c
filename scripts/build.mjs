// Builds the program into dist/: the bundles of rolldown.config.mjs, and the help of every command as it is printed, which
// src/cli/prepared.ts shows without a parser. Says nothing where nothing is wrong: npm runs it when the package is installed.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';
import { load, root } from './load.mjs';

process.chdir(root);
// One after the other: the first clears the folder.
for (const bundle of config) await build(bundle);

const { helpTexts } = await load('scripts/help-texts.ts');
for (const [words, text] of await helpTexts()) {
  const file = `${path.join('dist', 'help', ...words)}.txt`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
