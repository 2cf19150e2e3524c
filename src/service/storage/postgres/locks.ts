import { sql } from 'kysely';
import type { Locks, Queries } from '../core/storage.ts';

/**
 * Advisory locks, which end with the transaction. A change acquires `restore` shared and then `change`. A restore acquires
 * `restoring`, which no change asks for, and then `restore` exclusively. So it can tell another restore from a change.
 */
export function createLocks(db: Queries, scope: string): Locks {
  const key = (name: string) => sql`hashtextextended(${`storectl ${name} ${scope}`}, 0)`;
  const ask = async (call: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ granted: unknown }>`select ${call} as granted`.execute(db);
    return rows[0]?.granted !== false;
  };
  return {
    claim: (name) => ask(sql`pg_try_advisory_xact_lock(${key(`claim ${JSON.stringify(name)}`)})`),
    acquireChange: () =>
      ask(sql`case when pg_try_advisory_xact_lock_shared(${key('restore')})
        then pg_advisory_xact_lock(${key('change')}) is not null else false end`),
    acquireRestore: async () =>
      (await ask(sql`pg_try_advisory_xact_lock(${key('restoring')})`)) &&
      (await ask(sql`pg_advisory_xact_lock(${key('restore')})`)),
  };
}
