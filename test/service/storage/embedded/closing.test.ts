import { readdirSync, readlinkSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { loadEngine, openEngine, releaseFiles } from '../../../../src/service/storage/embedded/connection.ts';
import { temporaryFile } from '../../helpers/service.ts';

/** How often this process has the database, its log or its index open. */
function openCount(file: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(file);
    } catch {
      return false;
    }
  }).length;
}

test('a closed database is let go of, so that Windows can delete and replace its files', async () => {
  const file = await temporaryFile('service.db');
  const Engine = await loadEngine();
  const connection = openEngine(Engine, file);
  await sql`create table things (id integer)`.execute(connection.db);
  await sql`insert into things (id) values (1)`.execute(connection.db);
  await sql`select id from things`.execute(connection.db);
  const whileOpen = openCount(file);

  connection.close();
  await releaseFiles('win32');

  expect(whileOpen).toBeGreaterThan(0);
  expect(openCount(file)).toBe(0);
});
