import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';

/** Removing an event looks for its deliveries. The metrics ask for the oldest delivery that waits or is dead. */
export const deliveriesByEventAndAge: Migration = {
  name: '0010-deliveries-by-event-and-age',
  async up(db) {
    await sql`create index if not exists deliveries_event on deliveries (store_id, event_id)`.execute(db);
    await sql`create index deliveries_waiting on deliveries (created_at) where status = 'pending'`.execute(
      db,
    );
    await sql`create index deliveries_dead on deliveries (created_at) where status = 'dead'`.execute(db);
  },
};
