import { sql } from 'kysely';
import { inSnakeCase } from '../core/statement.ts';
import type { Engine, Queries } from '../core/storage.ts';

interface NewTable {
  /** In camelCase, as the columns. */
  readonly table: string;
  /** SQL of the embedded engine by name, as in `core/tables.ts`. */
  readonly columns: Readonly<Record<string, string>>;
  /** What columns alone do not say. */
  readonly constraints?: readonly string[] | undefined;
}

/** Makes a table on either engine. Released migrations use this, so what it makes of the same arguments never changes. */
export async function makeTable(
  db: Queries,
  engine: Engine,
  { table, columns, constraints = [] }: NewTable,
): Promise<void> {
  const lines = Object.entries(columns).map(
    ([name, column]) => `${inSnakeCase(name)} ${engine === 'postgres' ? onPostgres(column) : column}`,
  );
  await sql.raw(`create table ${inSnakeCase(table)} (${[...lines, ...constraints].join(', ')})`).execute(db);
  if (engine === 'embedded') return;
  if (table === 'stores') await protect(db, table, 'id');
  else if ('storeId' in columns) await protect(db, table, 'storeId');
}

function onPostgres(column: string): string {
  return column
    .replace('primary key autoincrement', 'generated always as identity primary key')
    .replace(/^integer/, 'bigint');
}

/**
 * A second barrier between stores, in case a query forgets its store: a transaction sees only the rows of the store in
 * `storectl.store_id`, or all rows if it has set `storectl.administration`. Superusers and roles with BYPASSRLS bypass
 * it. SQLite has no such feature.
 */
async function protect(db: Queries, table: string, storeColumn: string): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`alter table ${name} force row level security`.execute(db);
  await sql`create policy of_one_store on ${name} using (
    ${sql.ref(storeColumn)} = (select current_setting('storectl.store_id', true))
    or (select current_setting('storectl.administration', true)) = 'on'
  )`.execute(db);
}
