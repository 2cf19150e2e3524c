import { sql } from 'kysely';
import { insertion } from '../core/insertion.ts';
import type { RecordOf } from '../core/schema.ts';
import { statement } from '../core/statement.ts';
import { isEmbedded, type Tenant } from '../core/storage.ts';

/** The tables for posts, in SQL. PostgreSQL has only the first. */
const postTables = { posts: 'posts', otherPosts: 'other_posts' } as const;

type PostTable = keyof typeof postTables;

const placeOf = statement<{ storeId: string }, { readonly usesOther: number }>`
  select uses_other from blogs where store_id = ${'storeId'}`;

/** The table that has the posts of the store. */
async function findPostTable({ db, storeId }: Tenant): Promise<PostTable> {
  if (!isEmbedded(db)) return 'posts';
  const [place] = (await placeOf(db, { storeId })).rows;
  return place?.usesOther === 1 ? 'otherPosts' : 'posts';
}

/** The table that the store does not use. */
async function findUnusedTable(tenant: Tenant): Promise<PostTable> {
  return (await findPostTable(tenant)) === 'posts' ? 'otherPosts' : 'posts';
}

/** To be called before posts are written to the table that the store does not use. */
export async function noteStaging({ db, storeId }: Tenant, stagedAt: string): Promise<void> {
  await db
    .insertInto('blogs')
    .values({ storeId, usesOther: 0, stagedAt })
    .onConflict((conflict) => conflict.column('storeId').doUpdateSet({ stagedAt }))
    .execute();
}

/** Whether a restore began to write posts to the table that the store does not use, before this time. */
export async function wasStagedBefore({ db, storeId }: Tenant, time: string): Promise<boolean> {
  if (!isEmbedded(db)) return false;
  const blog = db.selectFrom('blogs').select('stagedAt').where('storeId', '=', storeId);
  return (await blog.where('stagedAt', '<', time).executeTakeFirst()) !== undefined;
}

/** From now on the store has its posts in the table that it did not use. */
export async function switchPostTables({ db, storeId }: Tenant): Promise<void> {
  await sql`update blogs set uses_other = 1 - uses_other where store_id = ${storeId}`.execute(db);
}

type Lists = { readonly tags: readonly string[]; readonly featuredProductIds: readonly string[] };

export type PostRecord = RecordOf<'posts', Lists>;

const columns = [
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
] as const;

const insertNew = (table: PostTable) => insertion(table, columns, 'on conflict (store_id, slug) do nothing');

const insertPosts = { posts: insertNew('posts'), otherPosts: insertNew('otherPosts') };

/** Returns false if the slug of a post is taken, in the store or by a post that is inserted together with it. */
export async function insertPost(tenant: Tenant, post: PostRecord): Promise<boolean> {
  return insertPosts[await findPostTable(tenant)](tenant, [toRow(post)]);
}

function toRow(post: PostRecord) {
  return {
    ...post,
    tags: JSON.stringify(post.tags),
    featuredProductIds: JSON.stringify(post.featuredProductIds),
  };
}

function forBoth<Made>(make: (table: { readonly table: string }) => Made): Record<PostTable, Made> {
  return { posts: make({ table: postTables.posts }), otherPosts: make({ table: postTables.otherPosts }) };
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
const sizesAfter = forBoth(
  (table) => statement<Omit<Range, 'until'>, { readonly id: string; readonly bytes: number }>`
  select id, octet_length(content_md) as bytes from ${table}
  where store_id = ${'storeId'} and id > ${'after'} order by id limit ${'limit'}`,
);

/**
 * The engines make JSON several times faster than rows are read and made into it here. It is canonical: members in order, no
 * white space, the escapes of JSON.stringify.
 */
const jsonBetween = forBoth(
  (table) => statement<Omit<Range, 'limit'>, { readonly json: string }>`
  select json_object('contentMd', content_md, 'coverImageId', cover_image_id, 'createdAt', created_at, 'excerpt', excerpt,
    'featuredProductIds', json(featured_product_ids), 'id', id, 'metaDescription', meta_description,
    'metaTitle', meta_title, 'publishedAt', published_at, 'scheduledAt', scheduled_at, 'slug', slug, 'status', status,
    'tags', json(tags), 'title', title, 'updatedAt', updated_at, 'viewCount', view_count) as json
  from ${table} where store_id = ${'storeId'} and id > ${'after'} and id <= ${'until'} order by id`,
);

const jsonBetweenOnPostgres = statement<Omit<Range, 'limit'>, { readonly json: string }>`
  select row_to_json(post)::text as json from (
    select content_md as "contentMd", cover_image_id as "coverImageId", created_at as "createdAt", excerpt,
      featured_product_ids::json as "featuredProductIds", id, meta_description as "metaDescription",
      meta_title as "metaTitle", published_at as "publishedAt", scheduled_at as "scheduledAt", slug, status,
      tags::json as tags, title, updated_at as "updatedAt", view_count as "viewCount"
    from posts where store_id = ${'storeId'} and id > ${'after'} and id <= ${'until'} order by id
  ) as post`;

/** All posts of the store after an id, ordered by id: the canonical JSON of each, a few at a time. */
export async function* readPosts(tenant: Tenant, from: string): AsyncGenerator<string[]> {
  const table = await findPostTable(tenant);
  for (let after = from; ; ) {
    const until = await findPageEnd(tenant, table, after);
    if (until === undefined) return;
    yield await readBetween(tenant, table, after, until);
    after = until;
  }
}

async function findPageEnd({ db, storeId }: Tenant, table: PostTable, after: string) {
  return lastOfPage((await sizesAfter[table](db, { storeId, after, limit: maxPosts })).rows);
}

async function readBetween({ db, storeId }: Tenant, table: PostTable, after: string, until: string) {
  const select = isEmbedded(db) ? jsonBetween[table] : jsonBetweenOnPostgres;
  const { rows } = await select(db, { storeId, after, until });
  return rows.map(({ json }) => json);
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
  const table = await findPostTable(tenant);
  await db.deleteFrom(table).where('storeId', '=', storeId).where('id', '>', after).execute();
  for await (const json of arrays) {
    const posts: PostRecord[] = JSON.parse(json);
    await insertPosts[table](tenant, posts.map(toRow));
  }
}

/** Posts in groups that are small enough to be written in one step. */
export function* inStepsOfPosts(posts: readonly PostRecord[]): Generator<PostRecord[]> {
  let group: PostRecord[] = [];
  let characters = 0;
  for (const post of posts) {
    if (group.length === maxPosts || (group.length > 0 && characters + post.contentMd.length > maxBytes)) {
      yield group;
      group = [];
      characters = 0;
    }
    group.push(post);
    characters += post.contentMd.length;
  }
  if (group.length > 0) yield group;
}

/** Writes posts beside those of the store. Answers the canonical JSON of those after an id, as they were written. */
export async function stagePosts(
  tenant: Tenant,
  posts: readonly PostRecord[],
  after: string,
): Promise<string[]> {
  const table = await findUnusedTable(tenant);
  await insertPosts[table](tenant, posts.map(toRow));
  return readBetween(tenant, table, after, posts.at(-1)?.id ?? after);
}

/** Removes some of the posts in the table that the store does not use, and answers how many. */
export async function removeUnusedPosts(tenant: Tenant): Promise<number> {
  const table = await findUnusedTable(tenant);
  const until = await findPageEnd(tenant, table, '');
  if (until === undefined) return 0;
  const { db, storeId } = tenant;
  const removal = db.deleteFrom(table).where('storeId', '=', storeId).where('id', '<=', until);
  return Number((await removal.executeTakeFirst()).numDeletedRows);
}

/** Ordered by id. */
export async function listPosts(tenant: Tenant) {
  const { db, storeId } = tenant;
  return db
    .selectFrom(await findPostTable(tenant))
    .select(['id', 'title', 'slug', 'createdAt'])
    .where('storeId', '=', storeId)
    .orderBy('id')
    .execute();
}
