import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Every event has one notification: they become one row, since a change waits for each row that it writes. What was read
 * stays read. The notification has the id of its event from now on, which is the one that messages name.
 */
export const notificationsInEvents: Migration = {
  name: '0007-notifications-in-events',
  async up(db, engine) {
    if (engine === 'postgres') {
      // All that it comes to lock, at once: an instance that writes meanwhile has some of them, and waits for the others.
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
