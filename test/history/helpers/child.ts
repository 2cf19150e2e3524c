import * as fs from 'node:fs';
import type { FileSystem } from '../../../src/base/files/files.ts';
import { openClient } from '../../../src/client/client.ts';
import { findOperation } from '../../../src/contract/operations/operations.ts';
import { recordChange } from '../../../src/history/changes/change.ts';
import { openHistory } from '../../../src/history/history.ts';

/** Sends a change and prints its outcome as JSON; a child process gets this as JSON in its first argument. */
export interface ChildTask {
  readonly folder: string;
  readonly url: string;
  readonly operation: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Takes a safety backup first. */
  readonly isSafe?: boolean;
  /** Ends itself with SIGKILL at its change to the disk of this number, from 1. */
  readonly killAt?: number;
}

const task: ChildTask = JSON.parse(process.argv[2] ?? '');

/** Calls that change the disk or make a change last: between two of them a death leaves the same behind. */
const changes = new Set<string>([
  ...['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'fdatasync'],
  ...['ftruncateSync', 'linkSync', 'renameSync', 'unlinkSync'],
]);

/** `node:fs`, up to the change to the disk of this number, from 1; of a write, half is done. */
function dyingFileSystem(killAt: number): FileSystem {
  let calls = 0;
  const dying =
    (name: string, call: (...parameters: unknown[]) => unknown) =>
    (...parameters: unknown[]) => {
      const reads = name === 'openSync' && (Number(parameters[1]) & fs.constants.O_CREAT) === 0;
      if (changes.has(name) && !reads) calls += 1;
      if (calls === killAt) {
        const [descriptor, bytes, from, , position] = parameters;
        if (name === 'writeSync' && typeof descriptor === 'number' && Buffer.isBuffer(bytes)) {
          const at = typeof position === 'number' ? position : null;
          fs.writeSync(descriptor, bytes, Number(from ?? 0), Math.floor(bytes.length / 2), at);
        }
        process.kill(process.pid, 'SIGKILL');
      }
      return call(...parameters);
    };
  const calling = Object.entries(fs).filter(([, value]) => typeof value === 'function');
  const dyingCalls = calling.map(([name, call]) => [
    name,
    dying(name, call as (...parameters: unknown[]) => unknown),
  ]);
  return { ...fs, ...Object.fromEntries(dyingCalls) };
}

const { folder, url, body, parameters = {}, killAt, isSafe = false } = task;
const operation = findOperation(task.operation);
if (operation === undefined) throw new Error(`no operation ${task.operation}`);
const history = openHistory({
  folder,
  store: { baseUrl: 'https://api.example.com', storeId: 'store-1' },
  profile: 'main',
  process,
  ...(killAt !== undefined && { fileSystem: dyingFileSystem(killAt) }),
});
const client = openClient({ baseUrl: url, apiKey: 'key-of-the-child', userAgent: 'test', env: {} });
const changed = await recordChange(
  history,
  { operation, parameters, body },
  { client, ...(isSafe && { safetyLabel: 'Safety' }) },
);
if (changed.kind !== 'change') throw new Error('only the safety backup was sent');
const { record, outcome, isEarlier } = changed;
process.stdout.write(JSON.stringify({ id: record.id, outcome, isEarlier }));
await history.end();
await client.close();
