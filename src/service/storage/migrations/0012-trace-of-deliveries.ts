import type { Migration } from '../core/migration.ts';

/** A delivery belongs to the trace of the request that caused it. */
export const traceOfDeliveries: Migration = {
  name: '0012-trace-of-deliveries',
  async up(db) {
    await db.schema.alterTable('deliveries').addColumn('traceparent', 'text').execute();
  },
};
