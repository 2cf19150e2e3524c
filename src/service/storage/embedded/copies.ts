import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type Database from 'libsql';
import { errorCode } from '../../../base/system-error.ts';
import { isBusy } from '../core/engine-errors.ts';
import { ForeignDatabaseError, StorageBusyError } from '../core/errors.ts';
import { loadEngine, releaseFiles } from './connection.ts';

/** What is in a file: for the person who copies it. */
export interface CopySummary {
  readonly stores: number;
  /** When the newest change in it was made, or null for an empty one. */
  readonly newestAt: string | null;
}

/** The database at the place of a restore has changes that the copy does not have. */
export class NewerThanCopyError extends Error {
  override readonly name = 'NewerThanCopyError';
}

/**
 * Copies a database into a new file, while others use it: one consistent snapshot, checked, and readable by its owner alone.
 * Rejects with EEXIST if the file exists, and with ENOENT if the database does not.
 */
export async function copyDatabase(location: string, file: string): Promise<CopySummary> {
  if (existsSync(file)) throw exists(file);
  return withDraft(file, async (draft) => {
    const summary = await copyInto(location, draft);
    await publish(draft, file);
    return summary;
  });
}

/**
 * Puts a copy in the place of a database that no process uses. What was there is kept beside it: `replaced` is its new name.
 * Rejects with a NewerThanCopyError if that has newer changes, and with a StorageBusyError if it is in use.
 */
export async function restoreDatabase(
  file: string,
  place: string,
): Promise<CopySummary & { readonly replaced: string | null }> {
  // Where a link leads to is what is replaced, and the engine's log is beside that.
  const location = existsSync(place) ? await realpath(place) : place;
  return withDraft(location, async (draft) => {
    const summary = await copyInto(file, draft);
    await giveToOwner(draft, location);
    if (!existsSync(location)) {
      await refuseLeftovers(location);
      await publish(draft, location);
      return { ...summary, replaced: null };
    }
    const present = await closeForGood(location);
    if ((present.newestAt ?? '') > (summary.newestAt ?? '')) {
      throw new NewerThanCopyError(
        `it has changes until ${present.newestAt}, the copy until ${summary.newestAt}`,
      );
    }
    const replaced = `${location}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
    await keepAs(location, replaced);
    await rename(draft, location);
    return { ...summary, replaced };
  });
}

/** A log without its database belongs to one that was moved away, and would be taken for that of the copy. */
async function refuseLeftovers(location: string): Promise<void> {
  const [left] = [`${location}-wal`, `${location}-shm`].filter((file) => existsSync(file));
  if (left !== undefined) throw exists(left);
}

async function withDraft<Result>(place: string, work: (draft: string) => Promise<Result>): Promise<Result> {
  const folder = path.dirname(place);
  if (!existsSync(folder)) throw missing(folder);
  const draft = path.join(folder, `.${path.basename(place)}.${randomUUID()}.tmp`);
  try {
    // The engine writes into an empty file, which keeps its mode.
    await (await open(draft, 'wx', 0o600)).close();
    return await work(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** What root restores belongs to whoever has the database, or its folder: the service runs as another user. */
async function giveToOwner(draft: string, location: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(existsSync(location) ? location : path.dirname(location));
  await chown(draft, uid, gid);
}

/** Gives a finished file its name, which no other file has. Rejects with EEXIST if one does. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    // A rename would replace a file that has come to be there meanwhile, and not every file system has hard links.
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? exists(file) : error;
  }
  await rename(draft, file);
}

/** Gives a file another name as well, so that it is never missing; on file systems without hard links, in place of the old one. */
async function keepAs(file: string, name: string): Promise<void> {
  try {
    await link(file, name);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    await rename(file, name);
  }
}

/** Copies a database to an empty file, checks the copy, and syncs it. */
async function copyInto(from: string, draft: string): Promise<CopySummary> {
  const Engine = await loadEngine();
  // The engine would create it.
  if (!existsSync(from)) throw missing(from);
  await using(new Engine(from, { readonly: true }), (source) => {
    source.pragma('busy_timeout = 5000');
    source.prepare('vacuum into ?').run(draft);
  });
  const summary = await using(new Engine(draft, { readonly: true }), (copy) => {
    const problems = [
      ...rowsOf(copy, 'pragma integrity_check(1)'),
      ...rowsOf(copy, 'pragma foreign_key_check'),
    ];
    const [first] = problems.map((row) => Object.values(row).join(' '));
    if (first !== 'ok') throw new Error(`the copy is damaged, as the database is: ${first}`);
    return summaryOf(copy);
  });
  const handle = await open(draft, 'r+');
  await handle.sync();
  await handle.close();
  return summary;
}

/** Moves the log into the database and ends it: possible only while no other connection is open, in any process. */
async function closeForGood(location: string): Promise<CopySummary> {
  const Engine = await loadEngine();
  return using(new Engine(location), (database) => {
    database.pragma('busy_timeout = 0');
    try {
      const summary = summaryOf(database);
      database.pragma('journal_mode = delete');
      return summary;
    } catch (error) {
      if (!isBusy(error)) throw error;
      throw new StorageBusyError('a process is using it', { cause: error });
    }
  });
}

function summaryOf(database: Database.Database): CopySummary {
  const [own] = rowsOf(database, "select 1 from sqlite_master where name = 'schema_migrations'");
  if (own === undefined) throw new ForeignDatabaseError('it is not a database of this service');
  const newest = ['events', 'operator_log', 'api_keys', 'stores'].map(
    (table) => `select max(created_at) as at from ${table}`,
  );
  const [row] = rowsOf(
    database,
    `select (select count(*) from stores where deleted_at is null) as stores, max(at) as newest_at from (${newest.join(' union all ')})`,
  );
  return { stores: Number(row?.stores), newestAt: row?.newest_at === null ? null : String(row?.newest_at) };
}

function rowsOf(database: Database.Database, statement: string): Record<string, unknown>[] {
  return database.prepare(statement).all() as Record<string, unknown>[];
}

/** Works on a database and closes it, so that its file can be replaced or removed. */
async function using<Result>(
  database: Database.Database,
  work: (database: Database.Database) => Result,
): Promise<Result> {
  try {
    return work(database);
  } finally {
    database.close();
    await releaseFiles();
  }
}

function missing(file: string): Error {
  return Object.assign(new Error(`${file} does not exist`), { code: 'ENOENT' });
}

function exists(file: string): Error {
  return Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
}
