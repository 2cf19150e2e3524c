import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Removing an event looks for its deliveries. */
export const deliveriesByEvent: Migration = {
  name: '0010-deliveries-by-event',
  async up(db) {
    await sql`create index deliveries_event on deliveries (store_id, event_id)`.execute(db);
  },
};
