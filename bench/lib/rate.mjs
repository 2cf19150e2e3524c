import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const generator = path.join(import.meta.dirname, 'load.mjs');

/** Requests per second that a server answers, measured after a pause. See load.mjs. */
export async function rateOf(request, { connections = 32, warmUpMs = 1_000, forMs = 1500 } = {}) {
  const load = JSON.stringify({ body: null, ...request, connections, warmUpMs, forMs });
  const { stdout } = await promisify(execFile)(process.execPath, [generator, load]);
  return Number(stdout);
}
