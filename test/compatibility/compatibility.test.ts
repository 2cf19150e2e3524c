import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createApp, createKey, listen, openStorage, type Storage } from '../../src/service/index.ts';
import { type Machine, newMachine } from '../helpers/cli.ts';
import { newerLog, readWrittenLog } from '../helpers/written-log.ts';
import { openTestStorage, serveStore } from '../service/helpers/service.ts';
import { useEverything } from '../service/helpers/use-everything.ts';

/** What each version left on disk: see scripts/compatibility-fixture.mjs. */
const versions = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** A machine on which that version was used. `database` is the file of its service. */
function machineOf(version: string): Machine & { readonly database: string } {
  const machine = newMachine();
  const fixture = path.join(import.meta.dirname, version);
  mkdirSync(machine.configDirectory, { recursive: true });
  const settings = readFileSync(path.join(fixture, 'settings.json'));
  writeFileSync(path.join(machine.configDirectory, 'settings.json'), settings, { mode: 0o600 });
  cpSync(path.join(fixture, 'history'), path.join(machine.stateDirectory, 'history'), { recursive: true });
  const database = path.join(machine.folder, 'service.db');
  writeFileSync(database, gunzipSync(readFileSync(path.join(fixture, 'service.db.gz'))));
  return { ...machine, database };
}

const whatToDo = `The database of this version is not one of today. Before the first release (CHANGELOG.md says what is released):
edit 0001 and run scripts/compatibility-fixture.mjs. After: add a migration, as docs/releasing.md says.`;

/** The tables with their columns and keys, and the indexes. Columns that a migration adds come last, so their order is left out. */
async function schemaOf(storage: Storage): Promise<string[]> {
  const { rows } = await storage.read((db) =>
    sql<{ table: string; what: string; parts: string }>`
      with tables as (select name from sqlite_master where type = 'table' and name not like 'sqlite%')
      select t.name as "table", 'column' as what, json_array(c.name, c.type, c."notnull", c.dflt_value, c.pk) as parts
        from tables t, pragma_table_info(t.name) c
      union all select t.name, 'reference', json_array(f."from", f."table", f."to", f.on_delete)
        from tables t, pragma_foreign_key_list(t.name) f
      union all select t.name, 'index', json_array(
          case i.origin when 'c' then i.name end, i."unique", i.origin,
          (select json_group_array(c.name || iif(c."desc", ' desc', '')) from pragma_index_xinfo(i.name) c where c."key"),
          (select substr(sql, nullif(instr(lower(sql), ' where '), 0)) from sqlite_master where name = i.name))
        from tables t, pragma_index_list(t.name) i`.execute(db),
  );
  return rows.map(({ table, what, parts }) => `${table}: ${what} ${parts}`).sort();
}

/** Path of the newest log of the only store of a machine. */
function newestLog({ stateDirectory }: Machine): string {
  const history = path.join(stateDirectory, 'history');
  const [store = ''] = readdirSync(history);
  const logs = readdirSync(path.join(history, store)).filter((name) => name.endsWith('.jsonl'));
  return path.join(history, store, logs.sort().at(-1) ?? '');
}

describe.each(versions)('what version %s left', (version) => {
  test('settings: the profile with its key', async () => {
    const { exitCode, stdout } = await machineOf(version).run(['profile', 'show', 'main', '--json']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
  });

  test('history: every change, what is in doubt, and what undoes the newest', async () => {
    const machine = machineOf(version);

    const listed = await machine.run(['history', 'list', '--json']);
    const records = JSON.parse(listed.stdout) as { id: string; operation: string; state: string }[];

    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(records.map(({ operation, state }) => `${operation} ${state}`)).toEqual([
      'blog.create unknown',
      'reclaim.appeal rejected',
      'disputes.open applied',
      'blog.create applied',
      'blog.create applied',
      'backup.restore applied',
      'backup.create applied',
      'backup.create applied',
      'settings.save applied',
      'store.update applied',
      'store.update applied',
    ]);
    for (const { id } of records) expect((await machine.run(['history', 'show', id])).exitCode).toBe(0);
    const update = records.find(({ operation }) => operation === 'store.update')?.id ?? '';
    const undo = await machine.run(['undo', update, '--dry-run', '--json']);
    expect(`${undo.stdout}${undo.stderr}`).toContain('100');
    const resumed = await machine.run(['resume', records[0]?.id ?? '', '--mark', 'not-applied']);
    expect(resumed.exitCode).toBe(0);
  });

  test('a database: opened, it has the tables, columns and indexes of a new one, and all of it can be used', async () => {
    const { database } = machineOf(version);
    const storage = await openTestStorage(database);

    expect(await schemaOf(storage), whatToDo).toEqual(await schemaOf(await openTestStorage(':memory:')));
    const [store = { id: '' }] = await storage.read((db) => db.selectFrom('stores').select('id').execute());
    await useEverything(await serveStore(store, { storage }), 'now');
  });

  test('a database: its store, posts and backups', async () => {
    const { database, ...machine } = machineOf(version);
    const storage = await openStorage(database);
    const [{ id: storeId = '' } = {}] = await storage.read((db) =>
      db.selectFrom('stores').select('id').execute(),
    );
    const { key } = await createKey(storage, { storeId, preset: 'owner' });
    const server = await listen(createApp({ storage, version: 'test', rateLimit: null }), {
      host: '127.0.0.1',
      port: 0,
    });
    onTestFinished(async () => {
      await server.close();
      await storage.close();
    });
    const env = {
      STORECTL_BASE_URL: server.origin,
      STORECTL_STORE_ID: storeId,
      STORECTL_API_KEY: key,
    };

    const shown = await machine.run(['settings', 'show', '--json'], { env });
    const updated = await machine.run(['store', 'update', '--name', 'Ink two', '--json'], { env });
    const posts = await storage.read((db) =>
      db.selectFrom('posts').select('title').orderBy('title').execute(),
    );
    const backups = await storage.read((db) => db.selectFrom('backups').select('label').execute());

    expect(JSON.parse(shown.stdout)).toMatchObject({ showcase: { enabled: true, summary: 'Inks' } });
    expect(JSON.parse(updated.stdout)).toMatchObject({ name: 'Ink two', settings: { cashbackBp: 250 } });
    expect(posts.map(({ title }) => title)).toEqual(['Post one', 'Post two']);
    expect(backups.map(({ label }) => label)).toContain('nightly');
  });
});

describe('what a newer version left is refused, and nothing is changed', () => {
  const [version = ''] = versions;

  test('settings', async () => {
    const machine = machineOf(version);
    const file = path.join(machine.configDirectory, 'settings.json');
    const newer = JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), format: 2 });
    writeFileSync(file, newer);

    for (const args of [
      ['profile', 'list'],
      ['profile', 'set', 'other', '--store', 's'],
      ['history', 'list'],
    ]) {
      const { exitCode, stderr } = await machine.run(args);
      expect(exitCode).toBe(11);
      expect(stderr).toContain('settings.json has format 2 of a newer storectl version');
      expect(stderr).toContain('update storectl');
    }
    expect(readFileSync(file, 'utf8')).toBe(newer);
  });

  test('a log of the history', async () => {
    const machine = machineOf(version);
    const file = newestLog(machine);
    const newer = newerLog(readWrittenLog(file));
    writeFileSync(file, newer);
    const post = ['blog', 'create', '--title', 'x', '--content-md', 'x'];

    for (const args of [post, ['resume']]) {
      const { exitCode, stderr } = await machine.run(args);
      expect(exitCode).toBe(11);
      expect(stderr).toContain('has format 2 of a newer storectl version');
      expect(stderr).toContain('update storectl');
    }
    expect(readFileSync(file)).toEqual(newer);
  });

  test('a database', async () => {
    const { database, ...machine } = machineOf(version);
    const storage = await openStorage(database);
    await storage.write((db) => sql`insert into schema_migrations (name) values ('9999-later!')`.execute(db));
    await storage.close();

    const { exitCode, stderr } = await machine.run(['service', 'stores', 'list', '--database', database]);

    expect(exitCode).toBe(11);
    expect(stderr).toContain('a later version of this program has changed the database');
    expect(stderr).toContain('update storectl');
  });
});
