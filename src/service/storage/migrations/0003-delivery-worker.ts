import type { Migration } from '../core/migration.ts';

/** Columns of the delivery worker. */
export const deliveryWorker: Migration = {
  name: '0003-delivery-worker',
  async up(db) {
    for (const column of ['claimed_by', 'first_attempt_at', 'settled_at', 'last_error']) {
      await db.schema.alterTable('deliveries').addColumn(column, 'text').execute();
    }
    await db.schema.alterTable('endpoints').addColumn('disabled_reason', 'text').execute();
    await db.schema.dropIndex('deliveries_due').execute();
    await db.schema
      .createIndex('deliveries_queue')
      .on('deliveries')
      .columns(['store_id', 'endpoint_id', 'status', 'sequence'])
      .execute();
  },
};
