import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type Database from 'libsql';
import { isBusy } from '../core/engine-errors.ts';
import { ForeignDatabaseError, StorageBusyError } from '../core/errors.ts';
import { loadEngine } from './connection.ts';

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
 * Rejects with EEXIST if the file exists.
 */
export async function copyDatabase(location: string, file: string): Promise<CopySummary> {
  if (existsSync(file)) throw exists(file);
  return withDraft(file, async (draft) => {
    const summary = await copyInto(location, draft);
    // A rename would replace a file that has come to be there meanwhile.
    await link(draft, file);
    return summary;
  });
}

/**
 * Puts a copy in the place of a database that no process uses. What was there is kept beside it: `replaced` is its new name.
 * Rejects with a NewerThanCopyError if that has newer changes, and with a StorageBusyError if it is in use.
 */
export async function restoreDatabase(
  file: string,
  location: string,
): Promise<CopySummary & { readonly replaced: string | null }> {
  return withDraft(location, async (draft) => {
    const summary = await copyInto(file, draft);
    if (!existsSync(location)) {
      await refuseLeftovers(location);
      await link(draft, location);
      return { ...summary, replaced: null };
    }
    const present = await closeForGood(location);
    if ((present.newestAt ?? '') > (summary.newestAt ?? '')) {
      throw new NewerThanCopyError(
        `it has changes until ${present.newestAt}, the copy until ${summary.newestAt}`,
      );
    }
    const replaced = `${location}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
    await link(location, replaced);
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
  const draft = path.join(path.dirname(place), `.${path.basename(place)}.${randomUUID()}.tmp`);
  try {
    // The engine writes into an empty file, which keeps its mode.
    await (await open(draft, 'wx', 0o600)).close();
    return await work(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Copies a database to an empty file, checks the copy, and syncs it. */
async function copyInto(from: string, draft: string): Promise<CopySummary> {
  const Engine = await loadEngine();
  using(new Engine(from, { readonly: true }), (source) => {
    source.pragma('busy_timeout = 5000');
    source.prepare('vacuum into ?').run(draft);
  });
  const summary = using(new Engine(draft, { readonly: true }), (copy) => {
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

function using<Result>(database: Database.Database, work: (database: Database.Database) => Result): Result {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function exists(file: string): Error {
  return Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
}
