import type { Migration } from '../core/migration.ts';

/** Remembers the successor of a key, so that a key in its overlap is not rotated again. */
export const keyRotation: Migration = {
  name: '0006-key-rotation',
  async up(db) {
    await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute();
  },
};
