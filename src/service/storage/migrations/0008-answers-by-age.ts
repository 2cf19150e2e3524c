import type { Migration } from '../core/migration.ts';

/** The embedded engine finds expired answers without an index: see queries/idempotency-keys.ts. */
export const answersByAge: Migration = {
  name: '0008-answers-by-age',
  async up(db, engine) {
    if (engine === 'embedded') await db.schema.dropIndex('idempotency_keys_expiry').ifExists().execute();
  },
};
