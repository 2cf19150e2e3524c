import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createKey, createStore, deleteStore, prune } from '../../../src/service/index.ts';
import { tablesOfStores } from '../../../src/service/storage/core/tables.ts';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { setScene } from '../../helpers/scene.ts';
import type { TestService } from '../../helpers/service.ts';

/** The person who runs the service, with its database. */
function operatorOf({ databaseFile }: TestService) {
  const operator = newMachine();
  const run = (...args: string[]) => operator.run(['service', ...args, '--database', databaseFile]);
  const runJson = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  return { operator, run, runJson };
}

/** What operators have changed, as the database has it. */
async function logOf(service: TestService) {
  const rows = await rowsOf(service, 'operatorLog', 'sequence', 'command', 'storeId', 'objectId');
  return rows.map(({ sequence: _, ...row }) => Object.values(row));
}

test('every change of an operator is in the log, with who ran it', async () => {
  const { service } = await setScene();
  const { run, runJson } = operatorOf(service);
  const before = (await logOf(service)).length;
  const store = await runJson('stores', 'create', '--name', 'Outlet');
  const key = await runJson('keys', 'create', '--store', store.id);
  const next = await runJson('keys', 'rotate', key.id);
  await run('keys', 'revoke', next.id, '--confirm', next.id);
  const notice = ['--store', store.id, '--subdomain', 'outlet', '--reason', 'Trade mark'];
  const { id } = await runJson('reclaims', 'add', ...notice);
  await run('reclaims', 'close', id, '--confirm', id);
  const { id: eventId } = await runJson('emit', '--store', store.id, '--event', 'feedback_digest');
  await run('stores', 'delete', store.id, '--confirm', store.id);

  expect((await logOf(service)).slice(before)).toEqual([
    ['stores create', store.id, store.id],
    ['keys create', store.id, key.id],
    ['keys rotate', store.id, key.id],
    ['keys revoke', store.id, next.id],
    ['reclaims add', store.id, id],
    ['reclaims close', store.id, id],
    ['emit', store.id, eventId],
    ['stores delete', store.id, store.id],
  ]);
  const rows = await rowsOf(service, 'operatorLog', 'runBy');
  expect(rows.every(({ runBy }) => runBy !== '')).toBe(true);
});

test('a deleted store is gone at once, its rows go with prune, and its slug is free', async () => {
  const { service, machine: owner } = await setScene();
  const { storeId } = service;
  const { run } = operatorOf(service);
  expect((await owner.run(['backup', 'create', '--label', 'a', '--sections', 'blog'])).exitCode).toBe(0);

  const refused = await run('stores', 'delete', storeId, '--confirm', 'other');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toMatch(/has 2 posts, 1 backup, 2 disputes and \d+ unsent messages?/);
  expect((await owner.run(['settings', 'show'])).exitCode).toBe(0);

  expect((await run('stores', 'delete', storeId, '--confirm', storeId)).exitCode).toBe(0);
  expect((await owner.run(['settings', 'show'])).exitCode).toBe(4);
  expect((await run('stores', 'list', '-q')).stdout).toBe('');
  expect((await run('disputes', 'list', '-q')).stdout).toBe('');
  expect((await run('keys', 'create', '--store', storeId)).exitCode).toBe(5);
  expect((await run('stores', 'delete', storeId, '--confirm', storeId)).exitCode).toBe(5);
  expect((await run('stores', 'create', '--name', 'New', '--slug', 'juniper-ink')).exitCode).toBe(0);

  await prune(service.storage, { retentionDays: 90 });
  const { sql } = await import('kysely');
  for (const table of tablesOfStores) {
    const left = sql`select 1 from ${sql.table(table)} where store_id = ${storeId}`;
    expect((await service.storage.read((db) => left.execute(db))).rows, table).toEqual([]);
  }
  expect(await rowsOf(service, 'stores', 'name')).toEqual([{ name: 'New' }]);
  expect(await logOf(service)).toContainEqual(['stores delete', storeId, storeId]);
});

test('many rows of a deleted store go in several steps, and what was cut off goes on later', async () => {
  const { service } = await setScene();
  const { storage } = service;
  const store = await createStore(storage, { name: 'Large' });
  const events = Array.from({ length: 1200 }, (_, index) => ({
    storeId: store.id,
    id: `e${index}`,
    sequence: index + 1,
    type: 'feedback_digest',
    data: '{}',
    title: '',
    body: '',
    createdAt: '2030-01-01T00:00:00.000Z',
    readAt: null,
  }));
  for (let from = 0; from < events.length; from += 300) {
    await storage.write((db) =>
      db
        .insertInto('events')
        .values(events.slice(from, from + 300))
        .execute(),
    );
  }
  await deleteStore(storage, store.id);
  const count = async () =>
    (
      await storage.read((db) =>
        db.selectFrom('events').select('id').where('storeId', '=', store.id).execute(),
      )
    ).length;

  await prune(storage, { retentionDays: 90, signal: AbortSignal.abort() });
  expect(await count()).toBe(1200);
  expect((await prune(storage, { retentionDays: 90 })).deleted).toBeGreaterThan(1200);
  expect(await count()).toBe(0);
});

test('an appeal is shown, and a closed notice cannot be appealed', async () => {
  const { service, machine: owner } = await setScene();
  const { storeId } = service;
  const { run, runJson } = operatorOf(service);
  const add = ['reclaims', 'add', '--store', storeId, '--subdomain'];
  const open = await runJson(...add, 'outlet', '--reason', 'Trade mark');
  const closed = await runJson(...add, 'other', '--reason', 'Trade mark');
  const appeal = (id: string) => owner.run(['reclaim', 'appeal', id, '--confirm', id, '--text', 'Ours']);

  expect((await appeal(open.id)).exitCode).toBe(0);
  expect((await run('reclaims', 'close', closed.id, '--confirm', closed.id)).exitCode).toBe(0);
  expect((await appeal(closed.id)).exitCode).toBe(6);
  expect((await run('reclaims', 'close', closed.id, '--confirm', closed.id)).exitCode).toBe(6);

  expect(await runJson('reclaims', 'list', '--store', storeId)).toMatchObject([
    { id: closed.id, status: 'closed', appealText: null },
    { id: open.id, status: 'appealed', appealText: 'Ours' },
    { status: 'noticed' },
  ]);
  expect((await run('reclaims', 'list')).stdout).toContain('Ours');
});

test('a removed endpoint has no secret any more, whatever is restored', async () => {
  const { service, machine: owner } = await setScene();
  const { storeId } = service;
  const { run, runJson } = operatorOf(service);
  const backup = ['backup', 'create', '--label', 'all', '--sections', 'endpoints', '-q'];
  const backupId = (await owner.run(backup)).stdout.trim();
  const [{ id }] = await runJson('endpoints', 'list', '--store', storeId);

  const unconfirmed = await run('endpoints', 'remove', id);
  expect(unconfirmed).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('going to be erased') });
  expect((await run('endpoints', 'remove', id, '--confirm', id)).exitCode).toBe(0);
  expect(await runJson('endpoints', 'list')).toEqual([]);
  const restore = ['backup', 'restore', backupId, '--sections', 'endpoints', '--confirm', backupId];
  expect((await owner.run([...restore, '--no-safety-backup'])).exitCode).toBe(0);

  const rows = await rowsOf(service, 'endpoints', 'id', 'secretUrl');
  expect(rows).toEqual([{ id, secretUrl: null }]);
});

test('an endpoint that only a backup still shows can be removed, too', async () => {
  const { service, machine: owner } = await setScene();
  const { storeId } = service;
  const { run, runJson } = operatorOf(service);
  const [{ id: first }] = await runJson('endpoints', 'list', '--store', storeId);
  const backup = ['backup', 'create', '--label', 'all', '--sections', 'endpoints', '-q'];
  const withOne = (await owner.run(backup)).stdout.trim();
  const url = 'https://discord.com/api/webhooks/234567890123456789/abcDEF_token';
  const fields = ['--name', 'Second', '--url', url, '--events', 'feedback_digest'];
  const id = (await owner.run(['notify', 'add-endpoint', ...fields, '-q'])).stdout.trim();
  const withTwo = (await owner.run(backup)).stdout.trim();
  const restore = (backupId: string) =>
    owner.run(['backup', 'restore', backupId, '--sections', 'endpoints', '--confirm', backupId]);
  expect((await restore(withOne)).exitCode).toBe(0);

  expect((await run('endpoints', 'remove', id, '--confirm', id)).exitCode).toBe(0);
  expect((await restore(withTwo)).exitCode).toBe(0);
  const rows = await rowsOf(service, 'endpoints', 'id', 'secretUrl');
  expect(rows.filter(({ secretUrl }) => secretUrl !== null).map((row) => row.id)).toEqual([first]);
  expect(rows).toContainEqual({ id, secretUrl: null });
});

test('a removed backup cannot be restored', async () => {
  const { service, machine: owner } = await setScene();
  const { run, runJson } = operatorOf(service);
  const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'blog', '-q'];
  const id = (await owner.run(backup)).stdout.trim();
  expect(await runJson('backups', 'list')).toMatchObject([{ id, label: 'nightly' }]);

  expect((await run('backups', 'remove', id, '--confirm', id)).exitCode).toBe(0);

  expect((await owner.run(['backup', 'restore', id, '--sections', 'blog', '--confirm', id])).exitCode).toBe(
    5,
  );
  expect((await run('backups', 'remove', id, '--confirm', id)).exitCode).toBe(5);
});

test('many stores and keys are made in one process, and long lists have pages', async () => {
  const { service } = await setScene();
  const { operator, run, runJson } = operatorOf(service);
  const names = path.join(operator.folder, 'names.txt');
  writeFileSync(names, Array.from({ length: 120 }, (_, index) => `Shop ${index}\n`).join(''));

  const made = await run('stores', 'create', '--names-from', names);
  expect(made.exitCode).toBe(0);
  const ids = made.stdout.trim().split('\n');
  expect(ids).toHaveLength(120);
  const input = path.join(operator.folder, 'ids.txt');
  writeFileSync(input, made.stdout);
  const keys = await run('keys', 'create', '--stores-from', input, '--preset', 'ci-backup');
  expect(keys.stdout.trim().split('\n')).toEqual(ids.map((id) => expect.stringMatching(`^${id}\tsk_live_`)));

  const first = await run('stores', 'list', '--limit', '100');
  const shown = first.stdout.trim().split('\n').length - 1;
  expect(shown).toBe(100);
  const [, after = ''] = /--after (\S+)/.exec(first.stderr) ?? [];
  const rest = await runJson('stores', 'list', '--after', after);
  expect(rest).toHaveLength(21);
  const all = [...(await runJson('stores', 'list', '--limit', '100')), ...rest];
  expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(121);
  expect(await runJson('stores', 'list', '--store', ids[7] ?? '')).toMatchObject([{ id: ids[7] }]);
  expect(service.storeId).not.toBe('');
});

test('a line that is refused ends it, and what was made before is printed', async () => {
  const { service } = await setScene();
  const { storeId } = service;
  const { operator, run } = operatorOf(service);
  const input = path.join(operator.folder, 'ids.txt');
  writeFileSync(input, `${storeId}\nnobody\n`);

  const result = await run('keys', 'create', '--stores-from', input);

  expect(result).toMatchObject({ exitCode: 5, stdout: expect.stringMatching(`^${storeId}\tsk_`) });
  expect((await createKey(service.storage, { storeId, preset: 'owner' })).key).not.toBe('');
});

test('every command that is named to go on with has the database in use', async () => {
  const { service } = await setScene();
  const { operator, run } = operatorOf(service);
  const flag = `--database ${service.databaseFile}`;
  const made = await run('stores', 'create', '--name', 'Outlet');
  const words = [
    made.stderr,
    (await run('keys', 'revoke', 'nobody', '--confirm', 'nobody')).stderr,
    (await run('keys', 'rotate', 'nobody')).stderr,
    (await run('deliveries', 'retry')).stderr,
    (await run('deliveries', 'retry', 'nobody')).stderr,
    (await run('backups', 'remove')).stderr,
    (await run('backups', 'remove', 'nobody', '--confirm', 'nobody')).stderr,
    (await operator.run(['service', 'stores', 'list', '--database', 'none.db'])).stderr.replace(
      /--database \S*none\.db/,
      flag,
    ),
  ].join('\n');

  const named = words.split('\n').filter((line) => line.includes('storectl service '));
  expect(named.filter((line) => !/--help/.test(line))).toHaveLength(8);
  for (const line of named.filter((one) => !/--help/.test(one))) expect(line).toContain(flag);
});

test('what a list says to add to see more shows more', async () => {
  const { service } = await setScene();
  const { storeId } = service;
  const { run } = operatorOf(service);
  for (const label of ['a', 'b']) await run('keys', 'create', '--store', storeId, '--label', label);
  const first = await run('keys', 'list', '--store', storeId, '--limit', '1');
  expect(first.stderr).toBe('There are more than 1: add --limit 10 to see more.\n');
  const more = await run('keys', 'list', '--store', storeId, '--limit', '10');
  expect(more).toMatchObject({ exitCode: 0, stderr: '' });
  expect(more.stdout.trim().split('\n').length).toBeGreaterThan(2);
});

test('a file of which a line is refused says the line, and goes on after those that are done', async () => {
  const { service } = await setScene();
  const { run, operator } = operatorOf(service);
  const names = path.join(operator.folder, 'names.txt');
  writeFileSync(names, 'First\n\nSecond\nThird\u001b[8m\nFourth\n');
  const stopped = await run('stores', 'create', '--names-from', names);
  expect(stopped.exitCode).toBe(2);
  expect(stopped.stdout.trim().split('\n')).toHaveLength(2);
  expect(stopped.stderr).toContain('line 4: --name must be in one line');
  expect(stopped.stderr).toContain('run the command again with --after 3, and keep the output of this run');

  writeFileSync(names, 'First\n\nSecond\nThird\nFourth\n');
  expect((await run('stores', 'create', '--names-from', names, '--after', '3')).exitCode).toBe(0);
  const listed = JSON.parse((await run('stores', 'list', '--json')).stdout);
  expect(listed.map(({ name }: { name: string }) => name)).toEqual([
    'First',
    'Fourth',
    'Juniper & Ink',
    'Second',
    'Third',
  ]);
  // Nothing is done before the first one, so there is nothing to go on after.
  const first = await run('stores', 'create', '--names-from', names);
  expect(first.stderr).toMatch(/line 1: [^\n]*slug "first"\n {2}fix the line, then run the command again\n/);
  expect((await run('stores', 'create', '--names-from', names, '--after', '5')).stderr).toContain(
    'no lines after line 5',
  );
});

test('keys are written to a new file that only its owner can read', async () => {
  const { service } = await setScene();
  const { storeId } = service;
  const { run, operator } = operatorOf(service);
  const create = ['keys', 'create', '--store', storeId, '--output-file', 'key.txt'];
  const file = path.join(operator.folder, 'key.txt');
  const created = await run(...create, '--json');
  const key = readFileSync(file, 'utf8').trim();
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(created.stdout + created.stderr).not.toContain(key);
  expect(JSON.parse(created.stdout)).toMatchObject({ file, id: expect.any(String) });
  const owner = machineFor({ origin: service.origin, storeId, apiKey: key });
  expect((await owner.run(['settings', 'show'])).exitCode).toBe(0);

  expect(await run(...create)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('it exists') });
  expect(readFileSync(file, 'utf8').trim()).toBe(key);
  const ids = path.join(operator.folder, 'ids.txt');
  writeFileSync(ids, `${storeId}\n${storeId}\n`);
  const many = await run('keys', 'create', '--stores-from', ids, '--output-file', 'keys.txt');
  const lines = readFileSync(path.join(operator.folder, 'keys.txt'), 'utf8').trim().split('\n');
  expect(lines.map((line) => line.split('\t')[0])).toEqual([storeId, storeId]);
  expect(many.stdout).not.toContain(lines[0]?.split('\t')[1] ?? '');
});

test('service log lists what operators have changed, newest first', async () => {
  const { service } = await setScene();
  const { storeId } = service;
  const { run, runJson } = operatorOf(service);
  const store = await runJson('stores', 'create', '--name', 'Outlet');
  await runJson('keys', 'create', '--store', storeId);
  const [newest, before] = await runJson('log');
  expect(newest).toMatchObject({ command: 'keys create', storeId, runBy: expect.any(String) });
  expect(before).toMatchObject({ command: 'stores create', storeId: store.id, objectId: store.id });
  expect(await runJson('log', '--store', store.id)).toHaveLength(1);
  expect((await run('log', '--limit', '1')).stdout).toMatch(
    /^CREATED +RUN BY +COMMAND +STORE ID +OBJECT ID\n/,
  );
});
