import type { Migration } from './migration.ts';

/** Which key takes the place of another: a key in its overlap is not replaced a second time. */
export const keyRotation: Migration = {
  name: '0006-key-rotation',
  async up(db) {
    await db.schema.alterTable('api_keys').addColumn('replaced_by', 'text').execute();
  },
};
