import { userInfo } from 'node:os';
import { timestamp } from '../model/time.ts';
import type { Work } from '../operations/unit-of-work.ts';
import type { Queries, Storage } from '../storage/core/storage.ts';

/**
 * Changes a store for the person who runs the service, and writes it to `operator_log` in the same transaction. `command`
 * is the noun and the verb; the id names the object that was changed. Rejects with a ServiceError `not_found` if the
 * store does not exist.
 */
export async function operate<Result extends { readonly id: string }>(
  storage: Storage,
  storeId: string,
  command: string,
  change: (work: Work) => Promise<Result>,
): Promise<Result> {
  return storage.forStore(storeId).change(async (db) => {
    const result = await change({ db, storeId, actor: 'operator', now: Date.now() });
    await logOperation(storage, db, command, storeId, result.id);
    return result;
  });
}

/** Writes a row of `operator_log`. */
export async function logOperation(
  { operator = userName() }: Storage,
  db: Queries,
  command: string,
  storeId: string | null,
  objectId: string | null,
): Promise<void> {
  await db
    .insertInto('operatorLog')
    .values({ createdAt: timestamp(Date.now()), runBy: operator, command, storeId, objectId })
    .execute();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
