// Writes the help of every command beside the built program, which prints it from there: see src/cli/prepared.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { load, root } from './load.mjs';

const { helpTexts } = await load('scripts/help-texts.ts');
for (const [words, text] of await helpTexts()) {
  const file = `${path.join(root, 'dist', 'help', ...words)}.txt`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
