import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';

/** Finding due deliveries and unread notifications takes no longer when there are many others. */
export const partialIndexes: Migration = {
  name: '0009-partial-indexes',
  async up(db, engine) {
    await sql`create index deliveries_pending on deliveries (store_id, endpoint_id, sequence)
      where status = 'pending'`.execute(db);
    // On the embedded engine it is the primary key.
    if (engine === 'postgres') {
      await sql`create unique index deliveries_sequence on deliveries (sequence)`.execute(db);
    }
    await sql`create index events_unread on events (store_id, created_at) where read_at is null`.execute(db);
  },
};
