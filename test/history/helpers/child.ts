import * as fs from 'node:fs';
import { createClient } from '../../../src/client/client.ts';
import { findOperation } from '../../../src/contract/operations.ts';
import type { FileSystem } from '../../../src/history/files/files.ts';
import { openHistory } from '../../../src/history/journal.ts';
import { performRecorded } from '../../../src/history/sending/execute.ts';

/** What a child process of a test does; it gets this as JSON in its first argument. */
export type ChildTask =
  /** Performs the operation and prints the outcome as JSON. */
  | {
      readonly does: 'perform';
      readonly folder: string;
      readonly url: string;
      readonly operation: string;
      readonly body: Readonly<Record<string, unknown>>;
      /** Ends itself with SIGKILL at its change to the disk of this number, from 1. */
      readonly killAt?: number;
    }
  /** Adds one to the number in the file, under a lock, again and again. */
  | { readonly does: 'count'; readonly folder: string; readonly file: string; readonly times: number }
  /** Takes the lock, prints `held`, and keeps it until it is killed. */
  | { readonly does: 'hold'; readonly folder: string; readonly name: string };

const task: ChildTask = JSON.parse(process.argv[2] ?? '');

/** Calls that change the disk or make a change last: between two of them a death leaves the same behind. */
const changes = ['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'linkSync', 'renameSync', 'unlinkSync'];

/** `node:fs`, up to the change to the disk of this number, from 1; of a write, half is done. */
function dyingFileSystem(killAt: number): FileSystem {
  let calls = 0;
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      return (...parameters: unknown[]) => {
        const reads = name === 'openSync' && (Number(parameters[1]) & fs.constants.O_CREAT) === 0;
        if (changes.includes(name) && !reads) calls += 1;
        if (calls === killAt) {
          const [descriptor, bytes] = parameters;
          if (name === 'writeSync' && typeof descriptor === 'number' && Buffer.isBuffer(bytes)) {
            fs.writeSync(descriptor, bytes, 0, Math.floor(bytes.length / 2));
          }
          process.kill(process.pid, 'SIGKILL');
        }
        return Reflect.apply(target[name], target, parameters);
      };
    },
  });
}

async function run(): Promise<void> {
  switch (task.does) {
    case 'perform': {
      const fileSystem = task.killAt === undefined ? fs : dyingFileSystem(task.killAt);
      const history = openHistory({ folder: task.folder, process, fileSystem });
      const operation = findOperation(task.operation);
      if (operation === undefined) throw new Error(`no operation ${task.operation}`);
      const client = createClient({
        baseUrl: task.url,
        apiKey: 'key-of-the-child',
        userAgent: 'test',
        env: {},
      });
      const { record, outcome, warnings } = await performRecorded({
        history,
        client,
        operation,
        profile: 'main',
        origin: 'https://api.example.com',
        storeId: 'store-1',
        body: task.body,
        makeKey: () => 'made-key',
        secrets: ['key-of-the-child'],
      });
      process.stdout.write(JSON.stringify({ id: record.id, outcome, warnings }));
      await client.close();
      return;
    }
    case 'count': {
      const history = openHistory({ folder: task.folder, process });
      for (let time = 0; time < task.times; time += 1) {
        await history.withLock('counter', async () => {
          const before = Number(fs.readFileSync(task.file, 'utf8'));
          await new Promise((resolve) => setImmediate(resolve));
          fs.writeFileSync(task.file, String(before + 1));
        });
      }
      return;
    }
    case 'hold': {
      await openHistory({ folder: task.folder, process }).acquire(task.name);
      process.stdout.write('held');
      setInterval(() => {}, 60_000);
    }
  }
}

run().catch((error: unknown) => {
  process.stderr.write(String(error instanceof Error ? `${error.name} ${error.message}` : error));
  process.exitCode = 1;
});
