import { randomBytes } from 'node:crypto';
import type { Storage } from '../core/storage.ts';

/** More than a page of any engine, so that a full disk has no room for it. */
const probeBytes = 48 * 1024;

/** Saves something small, to find out whether the database can. It replaces what it has saved before. */
export async function writeProbe(storage: Storage): Promise<void> {
  // Random, because PostgreSQL compresses.
  const content = randomBytes(probeBytes).toString('base64');
  await storage.write(async (db) => {
    await db
      .insertInto('writeProbes')
      .values({ id: 1, content })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ content }))
      .execute();
  });
}
