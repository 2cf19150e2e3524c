import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';
import type { Queries } from '../core/storage.ts';

const tables = [
  'api_keys',
  'posts',
  'operations_settings',
  'disputes',
  'dispute_evidence',
  'dispute_decisions',
  'backups',
  'backup_sections',
  'subdomain_reclaims',
  'endpoints',
  'events',
  'notifications',
  'deliveries',
  'idempotency_keys',
];

export const rowSecurity: Migration = {
  name: '0004-row-security',
  async up(db, engine) {
    if (engine !== 'postgres') return;
    await protect(db, 'stores', 'id');
    for (const table of tables) await protect(db, table);
  },
};

/**
 * A second barrier between stores, in case a query forgets its store: a transaction sees only the rows of the store in
 * `storectl.store_id`, or all rows if it has set `storectl.administration`. Superusers and roles with BYPASSRLS bypass
 * it. SQLite has no such feature.
 */
export async function protect(db: Queries, table: string, storeColumn = 'store_id'): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`alter table ${name} force row level security`.execute(db);
  await sql`create policy of_one_store on ${name} using (
    ${sql.ref(storeColumn)} = (select current_setting('storectl.store_id', true))
    or (select current_setting('storectl.administration', true)) = 'on'
  )`.execute(db);
}
