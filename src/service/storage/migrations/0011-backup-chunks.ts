import type { Migration } from '../core/migration.ts';
import { protect } from './0004-row-security.ts';

/** Backups of format version 2 keep their content here, so that no one needs all of it in memory. */
export const backupChunks: Migration = {
  name: '0011-backup-chunks',
  async up(db, engine) {
    await db.schema
      .createTable('backup_chunks')
      .addColumn('store_id', 'text', (column) => column.notNull())
      .addColumn('backup_id', 'text', (column) => column.notNull())
      .addColumn('section', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('item_count', 'integer', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('backup_chunks_pk', ['store_id', 'backup_id', 'section', 'position'])
      .addForeignKeyConstraint(
        'backup_chunks_backup',
        ['store_id', 'backup_id'],
        'backups',
        ['store_id', 'id'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    if (engine === 'postgres') await protect(db, 'backup_chunks');
  },
};
