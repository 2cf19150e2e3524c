import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';
import { protect } from './0004-row-security.ts';

/** Instances that share a database share the rate limit of each key. An unlogged table is empty after a crash. */
export const rateLimits: Migration = {
  name: '0005-rate-limits',
  async up(db, engine) {
    if (engine !== 'postgres') return;
    await sql`create unlogged table rate_limits (
      store_id text not null,
      key_id text not null,
      full_at double precision not null,
      primary key (store_id, key_id),
      foreign key (store_id, key_id) references api_keys (store_id, id) on delete cascade
    )`.execute(db);
    await protect(db, 'rate_limits');
  },
};
