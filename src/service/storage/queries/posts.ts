import { insertRows } from '../core/insert-rows.ts';
import type { RecordOf, Schema } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

type Lists = { readonly tags: readonly string[]; readonly featuredProductIds: readonly string[] };

export type PostRecord = RecordOf<'posts', Lists>;

const insertPostRow = statement<Schema['posts']>`
  insert into posts (store_id, id, title, slug, excerpt, content_md, cover_image_id, tags, featured_product_ids, status,
    published_at, scheduled_at, meta_title, meta_description, view_count, created_at, updated_at)
  values (${'storeId'}, ${'id'}, ${'title'}, ${'slug'}, ${'excerpt'}, ${'contentMd'}, ${'coverImageId'}, ${'tags'},
    ${'featuredProductIds'}, ${'status'}, ${'publishedAt'}, ${'scheduledAt'}, ${'metaTitle'}, ${'metaDescription'},
    ${'viewCount'}, ${'createdAt'}, ${'updatedAt'})
  on conflict (store_id, slug) do nothing`;

/** Returns false and inserts nothing if the store has a post with this slug. */
export async function insertPost({ db, storeId }: Tenant, post: PostRecord): Promise<boolean> {
  return (await insertPostRow(db, toRow(storeId, post))).changes > 0;
}

/** Replaces all posts of the store. */
export async function replacePosts(
  { db, storeId }: Tenant,
  pages: AsyncIterable<readonly PostRecord[]> | Iterable<readonly PostRecord[]>,
): Promise<void> {
  await db.deleteFrom('posts').where('storeId', '=', storeId).execute();
  for await (const posts of pages) {
    const rows = posts.map((post) => toRow(storeId, post));
    await insertRows(db, 'posts', rows, insertPostRow);
  }
}

function toRow(storeId: string, post: PostRecord): Schema['posts'] {
  return {
    ...post,
    storeId,
    tags: JSON.stringify(post.tags),
    featuredProductIds: JSON.stringify(post.featuredProductIds),
  };
}

/** Limits of what is in memory at a time. A post that is larger is read by itself. */
const maxPosts = 200;
const maxBytes = 1024 * 1024;

interface Range {
  readonly storeId: string;
  /** The id before the first. */
  readonly after: string;
  readonly until: string;
  readonly limit: number;
}

/** The engines know the size of a text without reading it. */
const sizesAfter = statement<Omit<Range, 'until'>, { readonly id: string; readonly bytes: number }>`
  select id, octet_length(content_md) as bytes from posts
  where store_id = ${'storeId'} and id > ${'after'} order by id limit ${'limit'}`;

const postsBetween = statement<Omit<Range, 'limit'>, Schema['posts']>`
  select store_id, id, title, slug, excerpt, content_md, cover_image_id, tags, featured_product_ids, status, published_at,
    scheduled_at, meta_title, meta_description, view_count, created_at, updated_at
  from posts where store_id = ${'storeId'} and id > ${'after'} and id <= ${'until'} order by id`;

/** All posts of the store, ordered by id. */
export async function* readPosts({ db, storeId }: Tenant): AsyncGenerator<PostRecord[]> {
  let after = '';
  for (;;) {
    const until = lastOfPage((await sizesAfter(db, { storeId, after, limit: maxPosts })).rows);
    if (until === undefined) return;
    const { rows } = await postsBetween(db, { storeId, after, until });
    yield rows.map(({ storeId: _, ...row }) => ({
      ...row,
      tags: JSON.parse(row.tags),
      featuredProductIds: JSON.parse(row.featuredProductIds),
    }));
    after = until;
  }
}

function lastOfPage(sizes: readonly { readonly id: string; readonly bytes: number }[]): string | undefined {
  let total = 0;
  const tooMany = sizes.findIndex(({ bytes }, index) => {
    total += bytes;
    return index > 0 && total > maxBytes;
  });
  return sizes.at(tooMany === -1 ? -1 : tooMany - 1)?.id;
}
