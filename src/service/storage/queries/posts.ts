import { prepareInsert } from '../core/prepared.ts';
import type { Tenant } from '../core/storage.ts';

export interface PostRecord {
  readonly id: string;
  readonly title: string;
  readonly slug: string;
  readonly excerpt: string | null;
  readonly contentMd: string;
  readonly coverImageId: string | null;
  readonly tags: readonly string[];
  readonly featuredProductIds: readonly string[];
  readonly status: string;
  readonly publishedAt: string | null;
  readonly scheduledAt: string | null;
  readonly metaTitle: string | null;
  readonly metaDescription: string | null;
  readonly viewCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const insert = prepareInsert('posts', (query) =>
  query.onConflict((conflict) => conflict.columns(['storeId', 'slug']).doNothing()),
);

/** Answers false, and inserts nothing, when the store has a post with this slug. */
export async function insertPost({ db, storeId }: Tenant, post: PostRecord): Promise<boolean> {
  const changes = await insert(db, {
    ...post,
    storeId,
    tags: JSON.stringify(post.tags),
    featuredProductIds: JSON.stringify(post.featuredProductIds),
  });
  return changes > 0;
}

/** Ordered by id. */
export async function listPosts({ db, storeId }: Tenant): Promise<PostRecord[]> {
  const rows = await db
    .selectFrom('posts')
    .selectAll()
    .where('storeId', '=', storeId)
    .orderBy('id')
    .execute();
  return rows.map(({ storeId: _, ...row }) => ({
    ...row,
    tags: JSON.parse(row.tags),
    featuredProductIds: JSON.parse(row.featuredProductIds),
  }));
}

export async function deleteAllPosts({ db, storeId }: Tenant): Promise<void> {
  await db.deleteFrom('posts').where('storeId', '=', storeId).execute();
}
