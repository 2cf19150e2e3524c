import type { Migration } from '../core/migration.ts';
import { protect } from './0004-row-security.ts';

/** The secret URLs of endpoints that a restore has removed: backups contain none, and a later restore may need them. */
export const removedEndpoints: Migration = {
  name: '0014-removed-endpoints',
  async up(db, engine) {
    await db.schema
      .createTable('removed_endpoints')
      .addColumn('store_id', 'text', (column) => column.notNull().references('stores.id'))
      .addColumn('endpoint_id', 'text', (column) => column.notNull())
      .addColumn('secret_url', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('removed_endpoints_pk', ['store_id', 'endpoint_id'])
      .execute();
    if (engine === 'postgres') await protect(db, 'removed_endpoints');
  },
};
