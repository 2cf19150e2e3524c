import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const generator = path.join(import.meta.dirname, 'load.mjs');

/**
 * Requests per second that a server answers, measured after a pause. Clients take turns with `targets`, each a path with its
 * headers; without them all send the same. See load.mjs.
 */
export async function rateOf(request, { connections = 32, warmUpMs = 1_000, forMs = 1500 } = {}) {
  const { path: to, headers, targets = [{ path: to, headers }], ...rest } = request;
  const load = JSON.stringify({ body: null, ...rest, targets, connections, warmUpMs, forMs });
  const { stdout } = await promisify(execFile)(process.execPath, [generator, load]);
  return Number(stdout);
}
