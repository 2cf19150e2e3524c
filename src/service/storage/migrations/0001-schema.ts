import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';
import type { Engine, Queries } from '../core/storage.ts';

/** Every table. Columns are described in core/schema.ts. */
export const schema: Migration = {
  name: '0001-schema',
  async up(db, engine) {
    for (const statement of tables(engine)) await sql.raw(statement).execute(db);
    if (engine === 'embedded') return;
    for (const table of [...tablesOfStores, 'operator_log']) await protect(db, table);
    await protect(db, 'stores', 'id');
  },
};

/** The rows of a store, in tables that have its id. */
export const tablesOfStores = [
  'api_keys',
  'posts',
  'operations_settings',
  'disputes',
  'dispute_evidence',
  'dispute_decisions',
  'backups',
  'subdomain_reclaims',
  'endpoints',
  'removed_endpoints',
  'events',
  'deliveries',
  'idempotency_keys',
];

const ofStore = 'store_id text not null references stores (id)';

function tables(engine: Engine): string[] {
  const number = engine === 'postgres' ? 'bigint' : 'integer';
  const counted =
    engine === 'postgres'
      ? 'bigint generated always as identity primary key'
      : 'integer primary key autoincrement';
  return [
    `create table stores (
      id text primary key,
      organisation_id text not null,
      name text not null,
      slug text not null,
      status text not null,
      default_currency text not null,
      timezone text not null,
      settings text not null,
      created_at text not null,
      blog text not null default '[[1,null]]',
      mark ${number} not null default 0,
      deleted_at text
    )`,
    'create unique index stores_slug on stores (slug) where deleted_at is null',
    `create table api_keys (
      id text primary key,
      ${ofStore},
      kind text not null,
      label text not null,
      sha256 text not null,
      scopes text not null,
      created_at text not null,
      expires_at text,
      revoked_at text,
      replaced_by text,
      last_used_at text
    )`,
    'create index api_keys_of_store on api_keys (store_id, id)',
    `create table posts (
      ${ofStore},
      position ${number} not null,
      id text not null,
      title text not null,
      slug text not null,
      excerpt text,
      content_md text not null,
      cover_image_id text,
      tags text not null,
      featured_product_ids text not null,
      status text not null,
      published_at text,
      scheduled_at text,
      meta_title text,
      meta_description text,
      view_count ${number} not null,
      created_at text not null,
      updated_at text not null,
      primary key (store_id, position)
    )`,
    'create index posts_slug on posts (store_id, slug)',
    `create table operations_settings (
      store_id text primary key references stores (id),
      document text not null,
      updated_at text not null
    )`,
    `create table disputes (
      ${ofStore},
      id text not null,
      order_id text, buyer_email text, provider_case_id text,
      kind text not null,
      status text not null,
      reason text not null,
      risk_signals text not null,
      deadline_at text not null,
      appeal_deadline_at text not null,
      resolution text,
      idempotency_key text not null,
      created_at text not null,
      updated_at text not null,
      primary key (store_id, id)
    )`,
    `create table dispute_evidence (
      store_id text not null,
      dispute_id text not null,
      id text not null,
      kind text not null,
      label text not null,
      storage_key text,
      text_value text,
      submitted_by text not null,
      created_at text not null,
      primary key (store_id, dispute_id, id),
      foreign key (store_id, dispute_id) references disputes (store_id, id)
    )`,
    `create table dispute_decisions (
      store_id text not null,
      dispute_id text not null,
      id text not null,
      status text not null,
      resolution text not null,
      decided_by text not null,
      decided_at text not null,
      primary key (store_id, dispute_id, id),
      foreign key (store_id, dispute_id) references disputes (store_id, id)
    )`,
    `create table backups (
      ${ofStore},
      id text not null,
      version ${number} not null,
      label text not null,
      created_at text not null,
      is_pre_restore ${number} not null,
      sections text not null,
      store text,
      blog text,
      settings text,
      endpoints text,
      primary key (store_id, id)
    )`,
    `create table subdomain_reclaims (
      ${ofStore},
      id text not null,
      subdomain text not null,
      reason text not null,
      status text not null,
      appeal_text text,
      appealed_at text,
      created_at text not null,
      closed_at text,
      primary key (store_id, id)
    )`,
    `create table endpoints (
      ${ofStore},
      id text not null,
      kind text not null,
      name text not null,
      masked_url text not null,
      secret_url text,
      events text not null,
      enabled ${number} not null,
      discord_template text,
      created_at text not null,
      disabled_reason text,
      due_at text,
      held ${number} not null default 0,
      is_failing ${number} not null default 0,
      claimed_by text,
      primary key (store_id, id),
      unique (store_id, secret_url)
    )`,
    'create index endpoints_due on endpoints (is_failing, due_at) where due_at is not null',
    `create table removed_endpoints (
      ${ofStore},
      endpoint_id text not null,
      secret_url text not null,
      primary key (store_id, endpoint_id)
    )`,
    `create table events (
      ${ofStore},
      id text not null,
      sequence ${number} not null,
      type text not null,
      data text not null,
      title text not null,
      body text not null,
      created_at text not null,
      read_at text,
      primary key (store_id, id),
      unique (store_id, sequence)
    )`,
    'create index events_by_time on events (store_id, created_at, sequence)',
    `create table deliveries (
      sequence ${counted},
      ${ofStore},
      id text not null,
      event_id text not null,
      endpoint_id text not null,
      status text not null,
      attempts ${number} not null,
      created_at text not null,
      first_attempt_at text,
      settled_at text,
      last_error text,
      traceparent text,
      unique (store_id, id),
      foreign key (store_id, event_id) references events (store_id, id),
      foreign key (store_id, endpoint_id) references endpoints (store_id, id) on delete cascade
    )`,
    // Also for the foreign key: what cascades looks for all of an endpoint.
    'create index deliveries_endpoint on deliveries (store_id, endpoint_id, status, sequence)',
    'create index deliveries_event on deliveries (store_id, event_id)',
    `create index deliveries_dead on deliveries (created_at) where status = 'dead'`,
    `create table idempotency_keys (
      ${ofStore},
      operation text not null,
      target_id text not null,
      key text not null,
      fingerprint text not null,
      status ${number} not null,
      body text not null,
      created_at text not null,
      expires_at text not null,
      primary key (store_id, operation, target_id, key)
    )`,
    `create table operator_log (
      sequence ${counted},
      created_at text not null,
      run_by text not null,
      command text not null,
      store_id text,
      object_id text
    )`,
    ...(engine === 'postgres'
      ? // Without the store: PostgreSQL would look for a key in it as well while the table is new.
        ['create index idempotency_keys_expiry on idempotency_keys (expires_at)']
      : []),
  ];
}

/**
 * A second barrier between stores, in case a query forgets its store: a transaction sees only the rows of the store in
 * `storectl.store_id`, or all rows if it has set `storectl.administration`. Superusers and roles with BYPASSRLS bypass
 * it. SQLite has no such feature.
 */
async function protect(db: Queries, table: string, storeColumn = 'store_id'): Promise<void> {
  const name = sql.table(table);
  await sql`alter table ${name} enable row level security`.execute(db);
  await sql`alter table ${name} force row level security`.execute(db);
  await sql`create policy of_one_store on ${name} using (
    ${sql.ref(storeColumn)} = (select current_setting('storectl.store_id', true))
    or (select current_setting('storectl.administration', true)) = 'on'
  )`.execute(db);
}
