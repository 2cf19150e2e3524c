import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';

/**
 * Numbers deliveries in the order of insertion, so that they are sent in order. SQLite numbers rows only in the primary
 * key, so the table is rebuilt there.
 */
export const orderOfDeliveries: Migration = {
  name: '0002-order-of-deliveries',
  async up(db, engine) {
    if (engine === 'postgres') {
      await sql`alter table deliveries add column sequence bigint generated always as identity`.execute(db);
      return;
    }
    await db.schema.alterTable('deliveries').renameTo('unordered_deliveries').execute();
    await db.schema
      .createTable('deliveries')
      .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('store_id', 'text', (column) => column.notNull().references('stores.id'))
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('endpoint_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('next_attempt_at', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addUniqueConstraint('deliveries_id', ['store_id', 'id'])
      .addForeignKeyConstraint('deliveries_event', ['store_id', 'event_id'], 'events', ['store_id', 'id'])
      .addForeignKeyConstraint(
        'deliveries_endpoint',
        ['store_id', 'endpoint_id'],
        'endpoints',
        ['store_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    const columns = sql`store_id, id, event_id, endpoint_id, status, attempts, next_attempt_at, created_at`;
    await sql`insert into deliveries (${columns}) select ${columns} from unordered_deliveries order by id`.execute(
      db,
    );
    await db.schema.dropTable('unordered_deliveries').execute();
    await db.schema
      .createIndex('deliveries_due')
      .on('deliveries')
      .columns(['store_id', 'endpoint_id', 'status', 'next_attempt_at'])
      .execute();
  },
};
