import { expect, onTestFinished, test } from 'vitest';
import { describeStore } from '../../src/service/index.ts';
import { createId } from '../../src/service/model/ids.ts';
import { replacePosts } from '../../src/service/storage/queries/posts.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { openTestStorage, type Service, startService, temporaryFile } from '../service/helpers/service.ts';

/** Gives the store a blog of this many posts of 200 KB. */
async function fillBlog({ call, inStore }: Service, count: number) {
  const { body } = await call('blog.create', '', { title: 'One', contentMd: 'x'.repeat(200_000) });
  const { effectiveStatus: _, coverUrl: __, coverImageUrl: ___, ...post } = body;
  await inStore((work) =>
    replacePosts(work, [
      JSON.stringify(
        Array.from({ length: count }, (____, index) => ({ ...post, id: createId(), slug: `post-${index}` })),
      ),
    ]),
  );
}

/** Starts the program on the database, with little memory. */
async function startProgram(database: string) {
  const machine = newProgramMachine({ NODE_OPTIONS: '--max-old-space-size=64' });
  const program = machine.start([
    ...['service', 'start', '--port', '0', '--rate-limit', '0', '--database', database],
  ]);
  onTestFinished(() => void program.process.kill('SIGKILL'));
  const [, origin = ''] = await program.shown(/Listening on (\S+)/);
  const ask = async ({ storeId, key }: Service, path: string, body?: object) => {
    const answer = await globalThis.fetch(`${origin}/v1/stores/${storeId}/operations${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  return { program, origin, ask };
}

test('a store is backed up and restored with less memory than it has, and others are answered meanwhile', async () => {
  const database = await temporaryFile('service.db');
  const storage = await openTestStorage(database);
  const [large, other] = [await startService({ storage }), await startService({ storage })];
  await fillBlog(large, 150);

  const { program, origin, ask } = await startProgram(database);
  /** How often the service answered others before it answered `request`. */
  const answeredDuring = async (request: Promise<unknown>, askOthers: () => Promise<void>) => {
    let isDone = false;
    const done = request.finally(() => {
      isDone = true;
    });
    for (let count = 0; ; count++) {
      await askOthers();
      if (isDone) {
        await done;
        return count;
      }
    }
  };
  const read = async () => {
    expect((await globalThis.fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await ask(other, '/settings')).status).toBe(200);
  };
  const dispute = { kind: 'payment', reason: 'x' };
  const change = async () => {
    expect((await ask(other, '/disputes', { ...dispute, idempotencyKey: createId() })).status).toBe(201);
  };

  const backup = ask(large, '/backups', { label: 'x', sections: ['blog'], idempotencyKey: 'b' });
  expect(await answeredDuring(backup, change)).toBeGreaterThan(5);
  const { id } = (await backup).body;
  // So that the restore has to write all of them.
  await storage.write((db) =>
    db.updateTable('posts').set({ title: 'Two' }).where('slug', '=', 'post-0').execute(),
  );
  const restore = ask(large, `/backups/${id}/restore`, { sections: ['blog'], idempotencyKey: 'r' });
  expect(await answeredDuring(restore, read)).toBeGreaterThan(5);
  expect(await restore).toMatchObject({ status: 200, body: { sections: { blog: { count: 150 } } } });

  program.process.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ exitCode: 0 });
});

test('a service that is killed in the middle of a backup has no part of it afterwards', async () => {
  const database = await temporaryFile('service.db');
  const storage = await openTestStorage(database);
  const large = await startService({ storage });
  await fillBlog(large, 100);
  const rowsOf = (table: 'backups' | 'backupChunks' | 'backupSections') =>
    storage.read((db) => db.selectFrom(table).select('storeId').execute());
  const backup = { label: 'x', sections: ['blog'], idempotencyKey: 'b' };

  const killed = await startProgram(database);
  const answer = killed.ask(large, '/backups', backup).catch(() => null);
  while ((await rowsOf('backupChunks')).length < 2) await new Promise((resolve) => setImmediate(resolve));
  killed.program.process.kill('SIGKILL');
  expect(await answer).toBeNull();
  expect(await rowsOf('backups')).toHaveLength(1);
  expect(await rowsOf('backupSections')).toEqual([]);
  expect((await describeStore(storage, large.storeId)).backups).toEqual([]);

  const { ask } = await startProgram(database);
  const { status, body } = await ask(large, '/backups', backup);
  expect(status).toBe(201);
  expect((await describeStore(storage, large.storeId)).backups).toMatchObject([{ id: body.id }]);
});
