// npm runs this after it has installed the packages of a clone: it builds the program if it can.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (existsSync(path.join(root, 'node_modules', 'rolldown'))) {
  await import('./build.mjs');
} else if (!existsSync(path.join(root, 'dist', 'chunks'))) {
  console.error('storectl is not built, and cannot be without its development packages: run `npm ci` first.');
  process.exitCode = 1;
}
