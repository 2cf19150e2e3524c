import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';

/**
 * Merges each notification into its event, which saves an insert with every change. Read notifications stay read. A
 * notification has the id of its event from now on.
 */
export const notificationsInEvents: Migration = {
  name: '0007-notifications-in-events',
  async up(db, engine) {
    if (engine === 'postgres') {
      // Locking one table after the other could deadlock with an instance that writes at the same time.
      await sql`lock table stores, events, notifications in access exclusive mode`.execute(db);
    }
    for (const column of ['title', 'body']) {
      await db.schema
        .alterTable('events')
        .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(''))
        .execute();
    }
    await db.schema.alterTable('events').addColumn('read_at', 'text').execute();
    await sql`update events set title = one.title, body = one.body, read_at = one.read_at
      from notifications as one where one.store_id = events.store_id and one.event_id = events.id`.execute(
      db,
    );
    await db.schema.dropTable('notifications').execute();
  },
};
