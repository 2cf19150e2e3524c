import { sql } from 'kysely';
import type { Queries } from '../core/storage.ts';
import type { Migration } from './migration.ts';

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
 * A second wall between stores, for queries that forget theirs: a transaction sees the rows of the store that it has
 * named in `storectl.store_id`, or all where it has said that it is for administration, or none. SQLite has no such
 * wall. Superusers and roles with BYPASSRLS walk through it.
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
