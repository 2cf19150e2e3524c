import * as fs from 'node:fs';
import process from 'node:process';
import { type Journal, openJournal } from '../../../src/history/journal/journal.ts';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { applied, post, store } from './values.ts';

/** What a child process of a test does; it gets this as JSON in its first argument. */
export type ChildTask = { readonly folder: string } & (
  | /** Makes logs, and adds to the oldest one, which may be another process's. Prints the ids. */
  {
      readonly does: 'write';
      readonly count: number;
    } /** Adds one to the number in the file, under a lock, again and again. */
  | {
      readonly does: 'count';
      readonly file: string;
      readonly times: number;
    } /** Takes the lock, prints `held`, and keeps it until it is killed. */
  | { readonly does: 'hold'; readonly name: string; readonly platform: NodeJS.Platform }
);

async function writeLogs(journal: Journal, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const intents = [post('a')];
    const writer = await beginLog(journal, { operation: 'blog.create', intents, isBatch: true });
    const records = await Promise.all([writer.add(post('b')), writer.add(post('c'))]);
    process.stdout.write(`${writer.id}\n`);
    await writer.change(records.map(({ id }) => applied(id)));
    await writer.close();
    const [oldest] = listLogs(journal);
    if (oldest === undefined) continue;
    const shared = await reopenLog(journal, oldest.id);
    await shared.add(post('shared'));
    await shared.close();
  }
}

async function countUp(journal: Journal, file: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const lock = await journal.acquire('counter');
    const before = Number(fs.readFileSync(file, 'utf8'));
    await new Promise((resolve) => setImmediate(resolve));
    fs.writeFileSync(file, String(before + 1));
    lock.release();
  }
}

const task: ChildTask = JSON.parse(process.argv[2] ?? '');
const journal = openJournal({ folder: task.folder, store, profile: 'main', process });
if (task.does === 'write') await writeLogs(journal, task.count);
else if (task.does === 'count') await countUp(journal, task.file, task.times);
else {
  const { pid } = process;
  const facts = { pid, platform: task.platform, kill: process.kill.bind(process) };
  await openJournal({ folder: task.folder, store, profile: 'main', process: facts }).acquire(task.name);
  process.stdout.write('held\n');
  setInterval(() => {}, 1_000);
}
