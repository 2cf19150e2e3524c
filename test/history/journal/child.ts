import process from 'node:process';
import { openJournal } from '../../../src/history/journal/journal.ts';
import { applied, post, store } from './values.ts';

/** Makes logs in a folder, and goes on with the first one of another process, until it is killed or has made enough. */
async function run(folder: string, count: number): Promise<void> {
  const journal = openJournal({ folder, store, profile: 'main', process });
  for (let made = 0; made < count; made += 1) {
    const writer = await journal.begin({
      operation: 'blog.create',
      intents: [post('a')],
      isBatch: true,
      secrets: [],
    });
    const records = await writer.add([post('b'), post('c')]);
    process.stdout.write(`${writer.id}\n`);
    await writer.change(records.map(({ id }) => applied(id)));
    await writer.close();
    const [oldest] = journal.logs();
    if (oldest === undefined) continue;
    const shared = await journal.reopen(oldest.id);
    await shared.add([post('shared')]);
    await shared.close();
  }
}

const [, , folder = '', count = ''] = process.argv;
await run(folder, Number(count));
