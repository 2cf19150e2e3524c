import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage, seedExampleStore } from '../../../../src/service/index.ts';
import { openService, openTestStorage, temporaryFile } from '../../helpers/service.ts';

test('the folder and the files are for their owner only', async () => {
  const file = join(dirname(await temporaryFile('x')), 'a', 'b', 'service.db');
  await openTestStorage(file);
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  expect(await mode(dirname(file))).toBe('700');
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(await mode(name)).toBe('600');
});

test('commits are fsynced, the log is written ahead, foreign keys are checked', async () => {
  const file = await temporaryFile('service.db');
  const storage = await openTestStorage(file);
  const pragma = async (name: string) => {
    const { rows } = await storage.read((db) =>
      sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db),
    );
    return Object.values(rows[0] ?? {})[0];
  };
  expect(await pragma('journal_mode')).toBe('wal');
  expect(await pragma('synchronous')).toBe(2);
  expect(await pragma('fullfsync')).toBe(1);
  expect(await pragma('foreign_keys')).toBe(1);
});

test('a new database can be opened and seeded many times at once', async () => {
  const file = await temporaryFile('service.db');
  const storages = await Promise.all(Array.from({ length: 6 }, () => openStorage(file)));
  const examples = await Promise.all(storages.map(seedExampleStore));
  for (const example of examples) expect(example).toEqual(examples[0]);
  await Promise.all(storages.map((storage) => storage.close()));
});

test('a failed transaction leaves no trace, and the next succeeds', async () => {
  const storage = await openTestStorage();
  const failing = storage.write(async (db) => {
    await sql`insert into schema_migrations (name) values ('half')`.execute(db);
    throw new Error('cut off');
  });
  await expect(failing).rejects.toThrow('cut off');
  const { rows } = await storage.read((db) =>
    sql`select * from schema_migrations where name = 'half'`.execute(db),
  );
  expect(rows).toEqual([]);
});

test('two connections of one process take turns', async () => {
  const file = await temporaryFile('service.db');
  const [first, second] = [await openTestStorage(file), await openTestStorage(file)];
  await first.write((db) => sql`create table counter (value integer)`.execute(db));
  await first.write((db) => sql`insert into counter values (0)`.execute(db));
  const increment = (storage: typeof first) =>
    storage.write(async (db) => {
      const { rows } = await sql<{ value: number }>`select value from counter`.execute(db);
      await new Promise((resolve) => setImmediate(resolve));
      await sql`update counter set value = ${(rows[0]?.value ?? 0) + 1}`.execute(db);
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => increment(index % 2 ? first : second)));
  const { rows } = await first.read((db) => sql`select value from counter`.execute(db));
  expect(rows).toEqual([{ value: 20 }]);
});

/** Another process that holds the write lock until it is told to let go. */
async function holdLock(file: string) {
  const script = `
    const Database = require(${JSON.stringify(createRequire(import.meta.url).resolve('libsql'))});
    const database = new Database(${JSON.stringify(file)});
    database.exec('begin immediate');
    process.stdout.write('locked');
    process.stdin.once('data', () => { database.exec('rollback'); process.exit(); });
  `;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.write('go');
    await once(child, 'exit');
  };
}

test('while another process writes, reads succeed, and writes wait or get busy', async () => {
  const file = await temporaryFile('service.db');
  const storage = await openStorage(file, { busyTimeoutMs: 300 });
  onTestFinished(() => storage.close());
  const service = await openService({ storage });
  const release = await holdLock(file);

  expect((await service.call('settings.show', '')).status).toBe(200);
  const busy = await service.call('store.update', '', { name: 'Busy' });
  expect(busy).toMatchObject({ status: 503, body: { code: 'busy' } });
  expect(busy.headers.get('retry-after')).toBe('1');

  const waiting = service.call('store.update', '', { name: 'Waited' });
  await release();
  expect(await waiting).toMatchObject({ status: 200, body: { name: 'Waited' } });
});
