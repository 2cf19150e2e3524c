import { sql } from 'kysely';
import type { Migration } from '../core/migration.ts';

/**
 * A second table for posts: a restore writes to the one that a store does not use, in steps, and then makes it the one that
 * the store uses. Older versions know only the first. On PostgreSQL other stores do not wait for a restore anyway.
 */
export const otherPosts: Migration = {
  name: '0013-other-posts!',
  engine: 'embedded',
  async up(db) {
    const found = await sql<{ sql: string }>`select sql from sqlite_master where name = 'posts'`.execute(db);
    const posts = found.rows[0]?.sql ?? '';
    await sql.raw(posts.replace(/"posts"/, '"other_posts"')).execute(db);
    await db.schema
      .createTable('blogs')
      .addColumn('store_id', 'text', (column) => column.primaryKey().references('stores.id'))
      .addColumn('uses_other', 'integer', (column) => column.notNull())
      .addColumn('staged_at', 'text', (column) => column.notNull())
      .execute();
  },
};
