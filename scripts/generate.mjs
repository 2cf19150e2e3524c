// Writes the generated files, or with --check fails if one of them is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { load, root } from './load.mjs';

process.chdir(root);
const { generatedFiles } = await load('scripts/generate/generated-files.ts');

let stale = 0;
for (const [file, content] of Object.entries(await generatedFiles())) {
  if (read(file) === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is not what the source makes: run \`npm run generate\` and commit it`);
    stale += 1;
  } else {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${file}`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
