import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';
import { tables } from '../core/tables.ts';
import { makeTable } from './make-table.ts';

/** All of the first version. Once that is released, it makes a copy of the tables: see docs/releasing.md. */
export const schema: Migration = {
  name: '0001-schema',
  async up(db, engine) {
    for (const table of Object.keys(tables) as (keyof typeof tables)[])
      await makeTable(db, engine, { table, columns: tables[table], constraints: constraints[table] });
    for (const index of indexes) await sql.raw(`create ${index}`).execute(db);
    if (engine === 'embedded') return;
    // Without the store: PostgreSQL would look for a key in it as well while the table is new.
    await sql`create index idempotency_keys_expiry on idempotency_keys (expires_at)`.execute(db);
  },
};

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
