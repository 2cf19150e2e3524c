import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  createHealth,
  createMetrics,
  createStore,
  openStorage,
  seedExampleStore,
} from '../../../../src/service/index.ts';
import type { Work } from '../../../../src/service/operations/unit-of-work.ts';
import { insert } from '../../../../src/service/storage/core/statement.ts';
import { ping } from '../../../../src/service/storage/core/storage.ts';
import { migrate, migrations } from '../../../../src/service/storage/migrate.ts';
import { newMachine } from '../../../helpers/cli.ts';
import { gate } from '../../../helpers/gate.ts';
import { query, startPostgres, type TestDatabase } from '../../../helpers/postgres.ts';
import {
  newDatabase,
  openService,
  openTestStorage,
  type Service,
  usePostgres,
} from '../../helpers/service.ts';

const cluster = await startPostgres();
afterAll(() => cluster.stop());
usePostgres(cluster);

/** A database without tables. */
async function freshDatabase(): Promise<TestDatabase> {
  const database = await cluster.createDatabase();
  onTestFinished(database.drop);
  return database;
}

/** A connection of another program. */
async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function count({ storage }: Service, table: 'backups' | 'disputeDecisions' | 'events' | 'disputes') {
  return storage.read(async (db) => (await db.selectFrom(table).selectAll().execute()).length);
}

test('a new database can be opened and seeded many times at once, and again later', async () => {
  const { url } = await freshDatabase();
  const storages = await Promise.all(Array.from({ length: 6 }, () => openStorage(url)));
  const examples = await Promise.all(storages.map(seedExampleStore));
  for (const example of examples) expect(example).toEqual(examples[0]);
  await Promise.all(storages.map((storage) => storage.close()));
  expect(await seedExampleStore(await openTestStorage(url))).toEqual(examples[0]);
});

test('a password that is missing is said, and where to set it', async () => {
  const { url, adminUrl } = await freshDatabase();
  const [row] = await query(adminUrl, 'show hba_file');
  const file = String(row?.hba_file);
  const rules = readFileSync(file, 'utf8');
  onTestFinished(() => writeFileSync(file, rules));
  await query(adminUrl, "create role with_password login password 'secret'");
  writeFileSync(file, `host all with_password all scram-sha-256\n${rules}`);
  await query(adminUrl, 'select pg_reload_conf()');
  const args = [
    'service',
    'stores',
    'list',
    '--database',
    url.replace('storectl@', 'with_password@'),
    '--json',
  ];

  await expect
    .poll(async () => JSON.parse((await newMachine().run(args)).stderr).error, { timeout: 20_000 })
    .toMatchObject({
      code: 'database_unusable',
      message: expect.stringMatching(/: the server asks for a password, and none is given$/),
      hint: 'set the password in PGPASSWORD',
    });
});

test('a lock timeout at the start says to wait and does not blame the URL', async () => {
  const { url } = await freshDatabase();
  await openTestStorage(url);
  const other = await connect(url);
  await other.query('begin; lock table schema_migrations in access exclusive mode');
  const args = ['service', 'keys', 'list', '--store', 's', '--database', url, '--json'];
  const { exitCode, stderr } = await newMachine().run(args);
  expect(exitCode).toBe(11);
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'database_unusable',
    hint: 'wait until the other process is done, then try again',
  });
});

test('a role with rights on the tables can run the service, and one without gets an error', async () => {
  const { url, adminUrl } = await freshDatabase();
  const user = url.replace('//storectl@', '//worker@');
  await query(adminUrl, 'create role worker login nosuperuser nobypassrls');
  await expect(openStorage(user)).rejects.toThrow(/permission denied/);

  await openTestStorage(url);
  await query(adminUrl, 'grant select, insert, update, delete on all tables in schema public to worker');
  await query(adminUrl, 'grant usage on all sequences in schema public to worker');
  const service = await openService({ storage: await openTestStorage(user) });
  expect((await service.call('store.update', '', { name: 'By another role' })).status).toBe(200);
});

test('a database in another encoding is refused', async () => {
  const { adminUrl, url } = await freshDatabase();
  const name = `latin_${randomUUID().slice(0, 8)}`;
  await query(
    adminUrl,
    `create database ${name} owner storectl encoding 'SQL_ASCII' locale 'C' template template0`,
  );
  const latin = new URL(url);
  latin.pathname = name;
  await expect(openStorage(latin.href)).rejects.toMatchObject({
    name: 'DatabaseSetupError',
    message: expect.stringContaining('SQL_ASCII'),
  });
  await query(adminUrl, `drop database ${name}`);
});

test('every table of stores is behind row-level security that binds its owner too', async () => {
  const { url, adminUrl } = await freshDatabase();
  await openTestStorage(url);
  const open = await query(
    adminUrl,
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
       and not (relrowsecurity and relforcerowsecurity
         and exists (select 1 from pg_policy where polrelid = pg_class.oid))`,
  );
  expect(open).toEqual([{ relname: 'schema_migrations' }, { relname: 'write_probes' }]);
});

test('a query that forgets the store sees, changes and deletes nothing of another store', async () => {
  const url = await newDatabase();
  const storage = await openTestStorage(url);
  const mine = await openService({ storage });
  const other = await openService({ storage });
  for (const service of [mine, other]) {
    await service.call('blog.create', '', { title: 'A', contentMd: 'x' });
    await service.call('backup.create', '', { label: 'x', sections: ['blog'], idempotencyKey: 'k' });
  }
  const { read, write } = storage.forStore(mine.storeId);
  for (const table of ['stores', 'apiKeys', 'posts', 'backups', 'events', 'idempotencyKeys'] as const) {
    const seen = await read((db) => db.selectFrom(table).selectAll().execute());
    const owners = seen.map((row: { id?: string; storeId?: string }) => row.storeId ?? row.id);
    expect([table, new Set(owners)]).toEqual([table, new Set([mine.storeId])]);
  }
  await write((db) => db.updateTable('posts').set({ title: 'Overwritten' }).execute());
  await write((db) => db.deleteFrom('backups').execute());
  const forged = {
    id: 'e',
    type: 'x',
    data: '{}',
    title: '',
    body: '',
    createdAt: 'x',
    sequence: 1,
    storeId: other.storeId,
  };
  await expect(write((db) => db.insertInto('events').values(forged).execute())).rejects.toThrow(
    /row-level security/,
  );

  const left = await storage.read(async (db) => ({
    posts: await db.selectFrom('posts').select(['storeId', 'title']).execute(),
    backups: await db.selectFrom('backups').select('storeId').execute(),
  }));
  expect(new Map(left.posts.map((post) => [post.storeId, post.title]))).toEqual(
    new Map([
      [mine.storeId, 'Overwritten'],
      [other.storeId, 'A'],
    ]),
  );
  expect(left.backups).toEqual([{ storeId: other.storeId }]);
});

test('a connection without a store sees nothing, also after a transaction with one', async () => {
  const url = await newDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  await service.call('settings.show', '');
  expect(await query(url, 'select id from stores')).toEqual([]);
});

test('the operator is warned of a role that bypasses row-level security', async () => {
  const { url, adminUrl } = await freshDatabase();
  expect((await openTestStorage(url)).warnings).toEqual([]);
  expect((await openTestStorage(adminUrl)).warnings).toEqual([expect.stringContaining('SUPERUSER')]);
});

test('many waiting changes of one store do not block other stores', async () => {
  const url = await newDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  const { id: otherStore } = await createStore(service.storage, { name: 'Another store' });
  const elsewhere = await openTestStorage(url);
  const lock = gate();
  const release = gate();
  const holder = elsewhere.forStore(service.storeId).change(async (db) => {
    // The lock is held from its first answer on.
    await ping(db);
    lock.open();
    await release.opened;
  });
  await lock.opened;

  let answered = 0;
  const waiting = Array.from({ length: 30 }, () =>
    service.storage.forStore(service.storeId).change(async (db) => {
      await ping(db);
      answered += 1;
    }),
  );
  const { forStore, usage } = service.storage;
  expect(await forStore(otherStore).change(async () => answered)).toBe(0);
  expect(usage().connections?.total).toBeLessThanOrEqual(2);
  release.open();
  await holder;
  await Promise.all(waiting);
  expect(answered).toBe(30);
});

test.each([
  ['a table that another transaction has locked', 'lock table posts in access exclusive mode'],
  ['the store', 'select 1 from stores for update'],
])('a change that waits too long for %s gets busy, and so do those behind it', async (_, lock) => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openStorage(url, { busyTimeoutMs: 300 }) });
  const other = await connect(adminUrl);
  await other.query(`begin; ${lock}`);
  const answers = await Promise.all(
    ['A', 'B', 'C'].map((title) => service.call('blog.create', '', { title, contentMd: '' })),
  );
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'busy' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  await other.query('rollback');
  expect((await service.call('blog.create', '', { title: 'A', contentMd: '' })).status).toBe(201);
  await service.storage.close();
});

test('a read of a table that another transaction has locked is 503 within 2 s', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  const other = await connect(adminUrl);
  for (const table of ['operations_settings', 'api_keys']) {
    await other.query(`begin; lock table ${table} in access exclusive mode`);
    const start = performance.now();
    expect(await service.call('settings.show', '')).toMatchObject({ status: 503, body: { code: 'busy' } });
    expect(performance.now() - start).toBeLessThan(2_000);
    await other.query('rollback');
    expect((await service.call('settings.show', '')).status).toBe(200);
  }
});

test('a change that an operator cancels gets busy, and of a deadlock both succeed', async () => {
  const { url, adminUrl } = await freshDatabase();
  const storage = await openTestStorage(url);
  const cancelled = storage.write(async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    const cancel = `select pg_cancel_backend(${rows[0]?.pid})`;
    await Promise.all([sql`select pg_sleep(60)`.execute(db), query(adminUrl, cancel)]);
  });
  await expect(cancelled).rejects.toThrow('the database is not available');

  const stores = [await createStore(storage, { name: 'A' }), await createStore(storage, { name: 'B' })];
  const meet = rendezvous(2);
  const rename = (first: number) =>
    storage.write(async (db) => {
      for (const index of [first, 1 - first]) {
        const one = db.updateTable('stores').where('id', '=', stores[index]?.id ?? '');
        await one.set({ name: `by ${first}` }).execute();
        // Both have their first row before either asks for its second.
        await meet();
      }
    });
  await Promise.all([rename(0), rename(1)]);
});

test('a change in conflict with others runs again, up to three times', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  await query(adminUrl, 'create sequence attempts; grant usage on sequence attempts to storectl');
  const failFirst = (count: number) =>
    query(
      adminUrl,
      `alter sequence attempts restart; create or replace function conflict() returns trigger language plpgsql
      as $$ begin if nextval('attempts') <= ${count} then raise exception 'x' using errcode = '40001'; end if; return new; end $$`,
    );
  await failFirst(3);
  await query(
    adminUrl,
    'create trigger conflict before insert on posts for each row execute function conflict()',
  );
  expect((await service.call('blog.create', '', { title: 'A', contentMd: 'x' })).status).toBe(201);
  expect(await query(adminUrl, 'select title from posts')).toHaveLength(1);

  await failFirst(4);
  expect(await service.call('blog.create', '', { title: 'B', contentMd: 'x' })).toMatchObject({
    status: 503,
    body: { code: 'busy' },
  });
  expect((await service.call('blog.create', '', { title: 'B', contentMd: 'x' })).status).toBe(201);
});

/** Lets the first `count` callers go on together, and later ones at once. */
function rendezvous(count: number): () => Promise<void> {
  const { opened, open } = gate();
  let arrived = 0;
  return async () => {
    if (++arrived >= count) open();
    await opened;
  };
}

test('a commit that waits for a standby which is gone says that the change may have been made, and is in time', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openStorage(url, { busyTimeoutMs: 300 }) });
  await query(
    adminUrl,
    `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(60); return null; end'`,
  );
  await query(
    adminUrl,
    `create constraint trigger wait after insert on posts deferrable initially deferred
       for each row execute function wait()`,
  );
  expect(await service.call('blog.create', '', { title: 'A', contentMd: '' })).toMatchObject({
    status: 503,
    body: { code: 'busy', detail: expect.stringContaining('may or may not have been made') },
  });
  expect(await service.call('store.update', '', { name: 'B' })).toMatchObject({ status: 503 });
  await query(adminUrl, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'storectl'");
  // A connection ends a moment after it was told to.
  await expect.poll(async () => (await service.call('store.update', '', { name: 'B' })).status).toBe(200);
  await service.storage.close();
});

test('a connection that is lost while a read begins fails that read only, not the process', async () => {
  const { url, adminUrl } = await freshDatabase();
  const storage = await openStorage(url);
  onTestFinished(() => storage.close());
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  onTestFinished(() => admin.end());
  for (let round = 0; round < 20; round++) {
    const reads = Array.from({ length: 20 }, () => storage.read(ping).catch(() => {}));
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'storectl'");
    await Promise.all(reads);
  }
  await expect
    .poll(() =>
      storage.read(ping).then(
        () => 'answers',
        () => 'fails',
      ),
    )
    .toBe('answers');
});

test('an index is built while others write, by one of the instances that start at once', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  const later = [...migrations, { name: '0002-index', index: { name: 'later_index', on: 'posts (title)' } }];
  // What a process that was killed while it built it has left.
  await query(adminUrl, 'create index later_index on posts (title)');
  const writer = await connect(adminUrl);
  await writer.query('begin; update stores set mark = mark');
  const instances = [await openTestStorage(url), await openTestStorage(url)];
  const migrated = Promise.all(instances.map((storage) => migrate(storage, later)));
  await migrated;
  await writer.query('commit');
  expect((await service.call('blog.create', '', { title: 'A', contentMd: '' })).status).toBe(201);
  const indexes = `select indisvalid as valid from pg_index where indexrelid = 'later_index'::regclass`;
  expect(await query(adminUrl, indexes)).toEqual([{ valid: true }]);
});

test('a connection that breaks between two queries fails only its own transaction', async () => {
  const database = await freshDatabase();
  const storage = await openTestStorage(database.url);
  const cutOff = storage.write(async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    await query(database.adminUrl, `select pg_terminate_backend(${rows[0]?.pid}, 5000)`);
    await sql`create table never (value integer)`.execute(db);
  });
  await expect(cutOff).rejects.toThrow('the database is not available');
  expect((await createStore(storage, { name: 'Next' })).slug).toBe('next');
});

test('after a connection that broke during the commit the answer says that the change may have been made', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({
    storage: await openTestStorage(url),
  });
  const cutOffAtCommitOf = (table: string) =>
    query(
      adminUrl,
      `create constraint trigger cut_off after insert on ${table} deferrable initially deferred for each row execute function cut_off()`,
    );
  await query(
    adminUrl,
    `create function cut_off() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`,
  );
  await cutOffAtCommitOf('posts');
  const post = await service.call('blog.create', '', { title: 'A', contentMd: '' });
  expect(post).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('may or may not have been made') },
  });

  const read = service.storage.read((db) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(db));
  await expect(read).rejects.toThrow('the database is not available');
});

test('a database that no longer answers counts as unavailable, and closing does not wait for it', async () => {
  const { url, adminUrl } = await freshDatabase();
  const storage = await openStorage(url, { busyTimeoutMs: 100 });
  const stopped: number[] = [];
  onTestFinished(() => stopped.forEach((pid) => void process.kill(pid, 'SIGCONT')));
  const hang = (begun = () => {}) =>
    storage.read(async (db) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      for (const { pid } of rows) if (process.kill(pid, 'SIGSTOP')) stopped.push(pid);
      const answer = sql`select 1`.execute(db);
      setTimeout(begun, 50);
      await answer;
    });
  await expect(hang()).rejects.toThrow('the database is not available');

  let hanging: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    hanging = hang(resolve);
    hanging.catch(() => {});
  });
  await storage.close();
  await expect(hanging).rejects.toThrow('the database is not available');
  expect(await query(adminUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('without its database the service is alive but not ready, and ready again afterwards', async () => {
  const { url, adminUrl } = await freshDatabase();
  const service = await openService({ storage: await openTestStorage(url) });
  const status = async (path: string) => (await service.send('GET', path)).status;
  expect(await status('/readyz')).toBe(200);
  await query(
    adminUrl.replace(/\/\w+$/, '/postgres'),
    `alter database ${new URL(url).pathname.slice(1)} connection limit 0`,
  );
  await query(adminUrl, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'storectl'");
  expect(await status('/readyz')).toBe(503);
  expect(await status('/healthz')).toBe(200);
  expect((await service.call('settings.show', '')).body.code).toBe('busy');
  await query(adminUrl, `alter database ${new URL(url).pathname.slice(1)} connection limit -1`);
  expect(await status('/readyz')).toBe(200);
});

test('metrics tell the use of the pool, the size of the database and free slots', async () => {
  const storage = await openTestStorage(await newDatabase());
  const metrics = await createMetrics(
    storage,
    async () => ({ ...storage.usage(), freeSlots: 7 }),
    createHealth(storage),
  );
  const request = { method: 'GET', path: '/metrics', query: '', clientAddress: '', isStopping: false };
  const readBody = async () => new Uint8Array();
  const { body } = await metrics.handler({ ...request, header: () => undefined, readBody });
  const metric = (name: string) =>
    Number(
      String(body)
        .split('\n')
        .find((line) => line.startsWith(`storectl_${name} `))
        ?.split(' ')[1],
    );
  expect(metric('pool_connections{state="busy"}') + metric('pool_connections{state="idle"}')).toBe(
    storage.usage().connections?.total,
  );
  expect([metric('pool_waiting'), metric('delivery_slots_free'), metric('database_up')]).toEqual([0, 7, 1]);
  expect(metric('database_size_bytes')).toBeGreaterThan(1_000_000);
});

test('a row that is refused fails its change with that error, whatever follows it', async () => {
  const service = await openService({ storage: await openTestStorage(await newDatabase()) });
  const event = { sequence: 1, type: 'feedback_digest', data: {}, title: '', body: '', createdAt: 't' };
  const id = randomUUID();
  const add = (after: (work: Work) => Promise<unknown>) =>
    service.inStore(async (work) => {
      await insert(work, 'events', { id, ...event });
      await insert(work, 'events', { id, ...event });
      await after(work);
    });
  await expect(add(async () => {})).rejects.toMatchObject({ code: '23505' });
  await expect(add(({ db }) => sql`select 1`.execute(db))).rejects.toMatchObject({ code: '23505' });
  await expect(
    add(async () => {
      throw new Error('refused');
    }),
  ).rejects.toMatchObject({ code: '23505' });
  expect(await count(service, 'events')).toBe(0);
});
