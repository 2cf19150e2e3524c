import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The metrics ask for the oldest delivery of a state, which must not read what was delivered. */
export const backlog: Migration = {
  name: '0012-backlog',
  async up(db) {
    await sql`create index deliveries_waiting on deliveries (created_at) where status = 'pending'`.execute(db);
    await sql`create index deliveries_dead on deliveries (created_at) where status = 'dead'`.execute(db);
  },
};
