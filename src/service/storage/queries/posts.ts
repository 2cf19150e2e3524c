import { insertion } from '../core/insertion.ts';
import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import { isEmbedded, type Tenant } from '../core/storage.ts';

type Lists = { readonly tags: readonly string[]; readonly featuredProductIds: readonly string[] };

export type PostRecord = RecordOf<'posts', Lists>;

const insertPosts = insertion(
  'posts',
  [
    'id',
    'title',
    'slug',
    'excerpt',
    'contentMd',
    'coverImageId',
    'tags',
    'featuredProductIds',
    'status',
    'publishedAt',
    'scheduledAt',
    'metaTitle',
    'metaDescription',
    'viewCount',
    'createdAt',
    'updatedAt',
  ],
  'on conflict (store_id, slug) do nothing',
);

/** Returns false if the slug of a post is taken, in the store or by a post that is inserted together with it. */
export async function insertPost(tenant: Tenant, post: PostRecord): Promise<boolean> {
  return insertPosts(tenant, [toRow(post)]);
}

function toRow(post: PostRecord) {
  return {
    ...post,
    tags: JSON.stringify(post.tags),
    featuredProductIds: JSON.stringify(post.featuredProductIds),
  };
}

/** Limits of what is in memory at a time. A post that is larger is read by itself. */
const maxPosts = 200;
const maxBytes = 512 * 1024;

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

/**
 * The engines make JSON several times faster than rows are read and made into it here. It is canonical: members in order, no
 * white space, the escapes of JSON.stringify.
 */
const jsonBetween = statement<Omit<Range, 'limit'>, { readonly json: string }>`
  select json_object('contentMd', content_md, 'coverImageId', cover_image_id, 'createdAt', created_at, 'excerpt', excerpt,
    'featuredProductIds', json(featured_product_ids), 'id', id, 'metaDescription', meta_description,
    'metaTitle', meta_title, 'publishedAt', published_at, 'scheduledAt', scheduled_at, 'slug', slug, 'status', status,
    'tags', json(tags), 'title', title, 'updatedAt', updated_at, 'viewCount', view_count) as json
  from posts where store_id = ${'storeId'} and id > ${'after'} and id <= ${'until'} order by id`;

const jsonBetweenOnPostgres = statement<Omit<Range, 'limit'>, { readonly json: string }>`
  select row_to_json(post)::text as json from (
    select content_md as "contentMd", cover_image_id as "coverImageId", created_at as "createdAt", excerpt,
      featured_product_ids::json as "featuredProductIds", id, meta_description as "metaDescription",
      meta_title as "metaTitle", published_at as "publishedAt", scheduled_at as "scheduledAt", slug, status,
      tags::json as tags, title, updated_at as "updatedAt", view_count as "viewCount"
    from posts where store_id = ${'storeId'} and id > ${'after'} and id <= ${'until'} order by id
  ) as post`;

/** All posts of the store after an id, ordered by id: the canonical JSON of each, a few at a time. */
export async function* readPosts({ db, storeId }: Tenant, from: string): AsyncGenerator<string[]> {
  const select = isEmbedded(db) ? jsonBetween : jsonBetweenOnPostgres;
  for (let after = from; ; ) {
    const until = lastOfPage((await sizesAfter(db, { storeId, after, limit: maxPosts })).rows);
    if (until === undefined) return;
    const { rows } = await select(db, { storeId, after, until });
    yield rows.map(({ json }) => json);
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

/** Replaces all posts of the store, or those after an id, by those in JSON arrays. */
export async function replacePosts(
  tenant: Tenant,
  arrays: AsyncIterable<string> | Iterable<string>,
  after = '',
): Promise<void> {
  const { db, storeId } = tenant;
  await db.deleteFrom('posts').where('storeId', '=', storeId).where('id', '>', after).execute();
  for await (const json of arrays) {
    const posts: PostRecord[] = JSON.parse(json);
    await insertPosts(tenant, posts.map(toRow));
  }
}

/** Ordered by id. */
export async function listPosts({ db, storeId }: Tenant) {
  return db
    .selectFrom('posts')
    .select(['id', 'title', 'slug', 'createdAt'])
    .where('storeId', '=', storeId)
    .orderBy('id')
    .execute();
}
