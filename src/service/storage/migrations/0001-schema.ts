import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';
import { inSnakeCase } from '../core/statement.ts';
import type { Engine, Queries } from '../core/storage.ts';
import { tables } from '../core/tables.ts';

export const schema: Migration = {
  name: '0001-schema',
  async up(db, engine) {
    for (const table of names) await sql.raw(creationOf(table, engine)).execute(db);
    for (const index of indexes) await sql.raw(`create ${index}`).execute(db);
    if (engine === 'embedded') return;
    // Without the store: PostgreSQL would look for a key in it as well while the table is new.
    await sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`.execute(db);
    for (const table of names)
      if (table !== 'writeProbes') await protect(db, table, table === 'stores' ? 'id' : 'storeId');
  },
};

const names = Object.keys(tables) as (keyof typeof tables)[];

/** The rows of a store, in tables that have its id. */
export const tablesOfStores = names.filter((name) => 'storeId' in tables[name] && name !== 'operatorLog');

/** What columns alone do not say. */
const constraints: Readonly<Partial<Record<keyof typeof tables, readonly string[]>>> = {
  posts: ['primary key (store_id, position)'],
  disputes: ['primary key (store_id, id)'],
  disputeEvidence: [
    'primary key (store_id, dispute_id, id)',
    'foreign key (store_id, dispute_id) references disputes (store_id, id)',
  ],
  disputeDecisions: [
    'primary key (store_id, dispute_id, id)',
    'foreign key (store_id, dispute_id) references disputes (store_id, id)',
  ],
  backups: ['primary key (store_id, id)'],
  subdomainReclaims: ['primary key (store_id, id)'],
  endpoints: ['primary key (store_id, id)', 'unique (store_id, secret_url)'],
  removedEndpoints: ['primary key (store_id, endpoint_id)'],
  events: ['primary key (store_id, id)', 'unique (store_id, sequence)'],
  deliveries: [
    'unique (store_id, id)',
    'foreign key (store_id, event_id) references events (store_id, id)',
    'foreign key (store_id, endpoint_id) references endpoints (store_id, id) on delete cascade',
  ],
  idempotencyKeys: ['primary key (store_id, operation, target_id, key)'],
};

const indexes = [
  'unique index stores_slug on stores (slug) where deleted_at is null',
  'index api_keys_of_store on api_keys (store_id, id)',
  'index posts_id on posts (store_id, id)',
  'index posts_slug on posts (store_id, slug)',
  `index disputes_open on disputes (store_id, deadline_at, id) where status = 'open'`,
  `index disputes_decided on disputes (store_id, status, id) where status <> 'open'`,
  'index disputes_case on disputes (store_id, provider_case_id, id) where provider_case_id is not null',
  'index disputes_order on disputes (store_id, order_id, id) where order_id is not null',
  'index endpoints_due on endpoints (is_failing, due_at) where due_at is not null',
  'index events_by_time on events (store_id, created_at, sequence)',
  'index events_unread on events (store_id, sequence) where read_at is null',
  // Also for the foreign key: what cascades looks for all of an endpoint.
  'index deliveries_endpoint on deliveries (store_id, endpoint_id, status, sequence)',
  'index deliveries_event on deliveries (store_id, event_id)',
  `index deliveries_dead on deliveries (created_at) where status = 'dead'`,
];

function creationOf(table: keyof typeof tables, engine: Engine): string {
  const columns = Object.entries<string>(tables[table]).map(
    ([name, column]) => `${inSnakeCase(name)} ${engine === 'postgres' ? onPostgres(column) : column}`,
  );
  return `create table ${inSnakeCase(table)} (${[...columns, ...(constraints[table] ?? [])].join(', ')})`;
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
