import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { shared } from '../rolldown.config.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads a TypeScript module. Node 20 cannot run TypeScript, so it is bundled first, next to its packages. */
export async function load(file) {
  const dir = path.join(root, 'node_modules', '.cache', 'storectl-scripts');
  const bundle = await rolldown({ ...shared, input: path.join(root, file) });
  const { output } = await bundle.write({ dir, format: 'cjs' });
  await bundle.close();
  return createRequire(import.meta.url)(path.join(dir, output[0].fileName));
}
