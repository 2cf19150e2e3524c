// Writes the generated files, or with --check fails where one of them is not what the source makes of it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import config from '../rolldown.config.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

// Node 20 runs no TypeScript, so the module that knows the files is bundled first, where it finds its packages.
const folder = path.join(root, 'node_modules', '.cache', 'storectl-generate');
const { external, transform } = config;
const bundle = await rolldown({ input: 'scripts/generated-files.ts', platform: 'node', external, transform });
await bundle.write({ dir: folder, format: 'cjs' });
await bundle.close();
const { generatedFiles } = createRequire(import.meta.url)(path.join(folder, 'generated-files.js'));

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
