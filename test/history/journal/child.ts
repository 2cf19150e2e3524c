import process from 'node:process';
import { type Journal, openJournal } from '../../../src/history/journal/journal.ts';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { applied, post, store } from './values.ts';

/** What a child process of a test does: it makes logs, adds to the oldest one, which may be another process's, and prints the ids. */
export interface ChildTask {
  readonly folder: string;
  readonly count: number;
}

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

const task: ChildTask = JSON.parse(process.argv[2] ?? '');
await writeLogs(openJournal({ folder: task.folder, store, profile: 'main', process }), task.count);
