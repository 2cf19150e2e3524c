import type { Migration } from './0001-first-schema.ts';

/** Which key takes the place of another: a key in its overlap is not replaced a second time. */
export const keyRotationMigration: Migration = {
  name: '0006-key-rotation',
  async up(db) {
    await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute();
  },
};
