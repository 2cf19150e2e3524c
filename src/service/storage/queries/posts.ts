import {
  type ClosedRanges,
  closed,
  greatestBelow,
  includes,
  outside,
  type Ranges,
  union,
} from '../core/ranges.ts';
import type { RecordOf } from '../core/schema.ts';
import { insert, pipelined, statement } from '../core/statement.ts';
import type { Tenant } from '../core/storage.ts';

type Lists = { readonly tags: readonly string[]; readonly featuredProductIds: readonly string[] };

export type PostRecord = Omit<RecordOf<'posts', Lists>, 'position'>;

/** A post without its content. */
export type ListedPost = Omit<PostRecord, 'contentMd'> & { readonly position: number };

/** Which of its posts a store shows. */
export interface Blog {
  readonly ranges: Ranges;
  /** Position of the newest post, which may be hidden. 0 if there never was one. */
  readonly newest: number;
}

// Not `max(position)`, and with a bound, for the reason that events.ts gives.
const blogOf = statement<{ storeId: string }, { blog: string; newest: number | null }>`
  select blog,
    (select position from posts where posts.store_id = stores.id and position > 0
      order by position desc limit 1) as newest
  from stores where id = ${'storeId'}`;

export async function findBlog({ db, storeId }: Tenant): Promise<Blog> {
  const [row] = (await blogOf(db, { storeId })).rows;
  return { ranges: JSON.parse(row?.blog ?? '[]'), newest: row?.newest ?? 0 };
}

/** From now on the store shows these posts. */
export const setBlog = pipelined<{ storeId: string; blog: Ranges }>`
  update stores set blog = ${'blog'} where id = ${'storeId'}`;

const positionsOfSlug = statement<{ storeId: string; slug: string }, { position: number }>`
  select position from posts where store_id = ${'storeId'} and slug = ${'slug'}`;

/** A post that has a slug. */
type ExistingPost = Pick<PostRecord, 'id' | 'title' | 'slug' | 'contentSha256'>;

/** To be called in a change of the store. If a post that it shows has the slug, returns that one and adds none, else null. */
export async function insertPost(tenant: Tenant, post: PostRecord): Promise<ExistingPost | null> {
  const { db, storeId } = tenant;
  const { ranges, newest } = await findBlog(tenant);
  const { rows } = await positionsOfSlug(db, { storeId, slug: post.slug });
  const taken = rows.find(({ position }) => includes(ranges, position));
  if (taken !== undefined) {
    return await db
      .selectFrom('posts')
      .select(['id', 'title', 'slug', 'contentSha256'])
      .where('storeId', '=', storeId)
      .where('position', '=', taken.position)
      .executeTakeFirstOrThrow();
  }
  await insert(tenant, 'posts', { ...post, position: newest + 1 });
  return null;
}

/** Which posts are asked for. */
export interface PostPage {
  /** Only posts at lower positions. Null: from the newest on. */
  readonly below: number | null;
  readonly limit: number;
  readonly slug?: string | undefined;
}

/** By name: a newer version may have added a column, which is not shown. */
const listedColumns = [
  'position',
  'id',
  'title',
  'slug',
  'excerpt',
  'contentSha256',
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

/**
 * Some of those that the store shows, newest first. Their positions follow from the ranges, where every position has its post, so
 * it takes as long for a blog of any length.
 */
export async function findPosts(tenant: Tenant, { below, limit, slug }: PostPage): Promise<ListedPost[]> {
  const { ranges, newest } = await findBlog(tenant);
  const shown = closed(ranges, newest);
  const before = below ?? newest + 1;
  const positions =
    slug === undefined
      ? greatestBelow(shown, before, limit)
      : await positionsWith(tenant, slug, shown, before);
  // PostgreSQL has no syntax for an empty list.
  if (positions.length === 0) return [];
  const rows = await tenant.db
    .selectFrom('posts')
    .select(listedColumns)
    .where('storeId', '=', tenant.storeId)
    .where('position', 'in', positions)
    .orderBy('position', 'desc')
    .execute();
  return rows.map(withLists);
}

async function positionsWith(
  tenant: Tenant,
  slug: string,
  shown: ClosedRanges,
  before: number,
): Promise<number[]> {
  const { rows } = await positionsOfSlug(tenant.db, { storeId: tenant.storeId, slug });
  return rows
    .map(({ position }) => position)
    .filter((position) => position < before && includes(shown, position));
}

/** A post that the store shows. */
export async function findPost(tenant: Tenant, id: string): Promise<PostRecord | undefined> {
  const { ranges } = await findBlog(tenant);
  const rows = await tenant.db
    .selectFrom('posts')
    .select([...listedColumns, 'contentMd'])
    .where('storeId', '=', tenant.storeId)
    .where('id', '=', id)
    .execute();
  const row = rows.find(({ position }) => includes(ranges, position));
  if (row === undefined) return undefined;
  const { position: _, ...post } = row;
  return withLists(post);
}

function withLists<Row extends { readonly tags: string; readonly featuredProductIds: string }>(row: Row) {
  const { tags, featuredProductIds } = row;
  return {
    ...row,
    tags: JSON.parse(tags) as readonly string[],
    featuredProductIds: JSON.parse(featuredProductIds) as readonly string[],
  };
}

/** Those that the store shows, oldest first. */
export async function findAllPosts(tenant: Tenant) {
  const { ranges } = await findBlog(tenant);
  const rows = await tenant.db
    .selectFrom('posts')
    .select(['position', 'id', 'title', 'slug', 'status', 'createdAt'])
    .where('storeId', '=', tenant.storeId)
    .orderBy('position')
    .execute();
  return rows.filter(({ position }) => includes(ranges, position)).map(({ position: _, ...post }) => post);
}

const someBetween = statement<
  { storeId: string; first: number; last: number; limit: number },
  { position: number }
>`select position from posts where store_id = ${'storeId'} and position between ${'first'} and ${'last'}
  order by position limit ${'limit'}`;

const deleteBetween = statement<{ storeId: string; first: number; last: number }>`
  delete from posts where store_id = ${'storeId'} and position between ${'first'} and ${'last'}`;

/**
 * Deletes up to `limit` posts that neither the store nor any of its backups has, and returns how many. The newest stays,
 * because positions are counted on from it. To be called in a change of the store.
 */
export async function deleteUnusedPosts(tenant: Tenant, limit: number): Promise<number> {
  const { db, storeId } = tenant;
  for (const [first, last] of await findUnused(tenant)) {
    const { rows } = await someBetween(db, { storeId, first, last, limit });
    const end = rows.at(-1);
    if (end === undefined) continue;
    return (await deleteBetween(db, { storeId, first, last: end.position })).changes;
  }
  return 0;
}

const blogsOfBackups = statement<{ storeId: string }, { blog: string }>`
  select blog from backups where store_id = ${'storeId'} and blog is not null`;

async function findUnused(tenant: Tenant): Promise<ClosedRanges> {
  const { ranges, newest } = await findBlog(tenant);
  const backups = await blogsOfBackups(tenant.db, tenant);
  const used = union(closed(ranges, newest), ...backups.rows.map(({ blog }) => JSON.parse(blog)));
  return outside(used, newest - 1);
}
