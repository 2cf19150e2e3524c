import { open } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '../../../src/service/index.ts';
import { openService, openTestStorage, temporaryFile } from '../helpers/service.ts';

type Service = Awaited<ReturnType<typeof openService>>;

const ready = async (service: Service) => {
  const { status, body } = await service.send('GET', '/readyz');
  return status === 200 ? 'ready' : `${status} ${body.detail}`;
};

test('a full disk is said by /readyz after the first change that it has refused, until one succeeds', async () => {
  const service = await openService({ storage: await openTestStorage() });
  const limitPages = (count: number) =>
    service.storage.write((db) => sql`pragma max_page_count = ${sql.raw(String(count))}`.execute(db));
  const post = { title: 'A', contentMd: 'x'.repeat(100_000) };
  expect(await ready(service)).toBe('ready');

  await limitPages(1);
  expect((await service.call('blog.create', '', post)).status).toBe(503);
  const full = '503 The database cannot save changes: its disk is full.';
  expect([await ready(service), await ready(service)]).toEqual([full, full]);
  expect((await service.send('GET', '/healthz')).status).toBe(200);
  expect((await service.call('settings.show', '')).status).toBe(200);

  await limitPages(1_000_000);
  expect(await ready(service)).toBe('ready');
  expect((await service.call('blog.create', '', post)).status).toBe(201);
});

/** Overwrites the pages of a table, as a disk does that forgets. */
async function damage(file: string, table: string): Promise<void> {
  const storage = await openStorage(file);
  const [pages, size] = await storage.write(async (db) => {
    const root = sql<{ page: number }>`select rootpage as page from sqlite_master where tbl_name = ${table}`;
    const { rows } = await root.execute(db);
    const { rows: sizes } = await sql<{ page_size: number }>`pragma page_size`.execute(db);
    return [rows.map(({ page }) => page), sizes[0]?.page_size ?? 4096] as const;
  });
  await storage.read((db) => sql`pragma wal_checkpoint(truncate)`.execute(db));
  await storage.close();
  const handle = await open(file, 'r+');
  for (const page of pages) await handle.write(Buffer.alloc(size, 0x5a), 0, size, (page - 1) * size);
  await handle.close();
}

test('a damaged page is said by /readyz as soon as a request has met it, and stays so', async () => {
  const file = await temporaryFile('service.db');
  const prepared = await openStorage(file);
  await prepared.close();
  await damage(file, 'disputes');
  const service = await openService({ storage: await openTestStorage(file) });
  expect(await ready(service)).toBe('ready');

  const dispute = { kind: 'payment', reason: 'A', idempotencyKey: 'k' };
  expect(await service.call('disputes.open', '', dispute)).toMatchObject({
    status: 503,
    body: { code: 'busy' },
  });
  const damaged = '503 The database is damaged: restore it from a copy, then restart the service.';
  expect(await ready(service)).toBe(damaged);
  // What is elsewhere can still be changed, which proves nothing.
  expect((await service.call('blog.create', '', { title: 'A', contentMd: 'x' })).status).toBe(201);
  expect(await ready(service)).toBe(damaged);
});
