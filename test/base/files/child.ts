import * as fs from 'node:fs';
import process from 'node:process';
import { openLocksIn } from './locks.ts';

/** What a child process of a test does; it gets this as JSON in its first argument. */
export type ChildTask = { readonly folder: string } & (
  | {
      /** Adds one to the number in the file, under a lock, again and again. */
      readonly does: 'count';
      readonly file: string;
      readonly times: number;
    }
  | {
      /** Takes the lock, prints `held`, and keeps it until it is killed. */
      readonly does: 'hold';
      readonly name: string;
      readonly platform: NodeJS.Platform;
    }
);

async function countUp(folder: string, file: string, times: number): Promise<void> {
  const locks = openLocksIn(folder);
  for (let time = 0; time < times; time += 1) {
    const lock = await locks.acquire('counter');
    const before = Number(fs.readFileSync(file, 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
    fs.writeFileSync(file, String(before + 1));
    lock.release();
  }
}

const task: ChildTask = JSON.parse(process.argv[2] ?? '');
if (task.does === 'count') await countUp(task.folder, task.file, task.times);
else {
  const { pid } = process;
  const facts = { pid, platform: task.platform, kill: process.kill.bind(process) };
  await openLocksIn(task.folder, { process: facts }).acquire(task.name);
  process.stdout.write('held\n');
  setInterval(() => {}, 1_000);
}
