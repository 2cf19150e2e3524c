import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { shared } from '../rolldown.config.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A module in TypeScript, with what it imports. Node 20 runs none, so it is bundled first, where it finds its packages. */
export async function load(file) {
  const dir = path.join(root, 'node_modules', '.cache', 'storectl-scripts');
  const bundle = await rolldown({ ...shared, input: path.join(root, file) });
  const { output } = await bundle.write({ dir, format: 'cjs' });
  await bundle.close();
  return createRequire(import.meta.url)(path.join(dir, output[0].fileName));
}
