import { asObject, parseJson } from '../../../base/json.ts';
import type { Connection } from '../../../cli/command/context.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { History } from '../../../history/history.ts';
import { fingerprint } from '../../../history/records/fingerprint.ts';
import { type HistoryRecord, mayHaveBeenApplied } from '../../../history/records/record.ts';
import { fatesAfterRestores } from '../../../history/restored-items.ts';

/** A post that this machine sent to the store. */
export interface KnownPost {
  readonly record: HistoryRecord;
  /** Slug in the request, else in the answer; null if neither is known. */
  readonly slug: string | null;
  /** Whether the request contained the slug. */
  readonly sentSlug: boolean;
  /** Fingerprint of the request without the slug. */
  readonly content: string;
  /** Null if no answer said it. */
  readonly id: string | null;
  /** Whether a restore may have removed it. */
  readonly maybeGone: boolean;
}

export interface KnownPosts {
  /** The post with this slug, or one sent without a slug and with the same content. Applied posts come first. */
  find(slug: string, body: Readonly<Record<string, unknown>>): KnownPost | null;
  /** Whether the service has refused a slug of this store as taken. */
  readonly refusesTakenSlugs: boolean;
}

/**
 * Reads the posts of the store from the history, once for all files, without those that a restore has removed. Throws a
 * HistoryError if the log of a batch cannot be read: its posts would be created again.
 */
export async function readKnownPosts(history: History, connection: Connection): Promise<KnownPosts> {
  const { origin, storeId } = connection;
  const all = (await history.list({ origin, storeId })).records;
  const records = all.filter(({ operation }) => operation === createBlogPost.id);
  const fateOf = fatesAfterRestores(createBlogPost.id, all);
  const posts = records
    .filter(
      (record) => mayHaveBeenApplied(record) || (record.state === 'applied' && fateOf(record) !== 'gone'),
    )
    .map((record) => knownPost(record, fateOf(record) === 'maybe'))
    // Applied posts before unknown ones, newer before older.
    .sort((a, b) => Number(b.record.state === 'applied') - Number(a.record.state === 'applied'));
  const bySlug = firstBy(posts, ({ slug }) => slug);
  const withoutSlug = firstBy(posts, ({ sentSlug, content }) => (sentSlug ? null : content));
  return {
    find: (slug, body) => bySlug.get(slug) ?? withoutSlug.get(contentOf(body)) ?? null,
    refusesTakenSlugs: records.some(({ answer }) => answer?.problem?.code === 'slug_taken'),
  };
}

/** Whether the post was sent with the same content. */
export function hasContent(post: KnownPost, body: Readonly<Record<string, unknown>>): boolean {
  return post.content === contentOf(body);
}

function knownPost(record: HistoryRecord, maybeGone: boolean): KnownPost {
  const body = asObject(parseJson(record.body));
  const answer = answerBody(record);
  const slug = textAt(body, ['slug']);
  return {
    record,
    slug: slug ?? textAt(answer, ['slug']),
    sentSlug: slug !== null,
    content: contentOf(body),
    id: textAt(answer, ['id']),
    maybeGone,
  };
}

function contentOf({ slug: _, ...body }: Readonly<Record<string, unknown>>): string {
  return fingerprint({
    operation: createBlogPost.id,
    origin: '',
    storeId: '',
    path: '',
    body: JSON.stringify(body),
  });
}

function firstBy(
  posts: readonly KnownPost[],
  keyOf: (post: KnownPost) => string | null,
): Map<string, KnownPost> {
  const found = new Map<string, KnownPost>();
  for (const post of posts) {
    const key = keyOf(post);
    if (key !== null && !found.has(key)) found.set(key, post);
  }
  return found;
}
