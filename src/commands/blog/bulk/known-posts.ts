import { asObject, parseJson } from '../../../base/json.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import { DamagedError } from '../../../history/errors.ts';
import { fingerprint } from '../../../history/fingerprint.ts';
import type { History } from '../../../history/history.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import { existenceAfter } from '../../../history/objects/existing.ts';

/** A post that this machine sent to the store. */
export interface KnownPost {
  readonly record: HistoryRecord;
  /** Slug in the request, else in the response; null if neither is known. */
  readonly slug: string | null;
  /** Whether the request contained the slug. */
  readonly sentSlug: boolean;
  /** Fingerprint of the request without the slug. */
  readonly content: string;
}

/** Finds the post with a slug, or one that was sent without a slug and with the same content. */
export type FindPost = (slug: string, body: Readonly<Record<string, unknown>>) => KnownPost | null;

/**
 * Reads the posts of the store from the history, once for all files, without those that a restore has removed. Throws a
 * DamagedError if a log cannot be read: its posts would be created again.
 */
export function readKnownPosts(history: History): FindPost {
  const { records, problems } = history.list();
  const [problem] = problems.filter(({ kind }) => kind !== 'foreign');
  if (problem !== undefined) {
    throw new DamagedError(problem.file, problem.message, problem.kind === 'newer' ? 'newer' : 'damaged');
  }
  const exists = existenceAfter(records);
  const posts = records
    .filter(({ operation }) => operation === createBlogPost.id)
    .filter((record) => isInDoubt(record) || (record.state === 'applied' && exists(record)))
    .map(knownPost)
    // Applied posts before those in doubt, newer before older.
    .sort((one, other) => Number(isInDoubt(one.record)) - Number(isInDoubt(other.record)));
  const bySlug = firstBy(posts, ({ slug }) => slug);
  const withoutSlug = firstBy(posts, ({ sentSlug, content }) => (sentSlug ? null : content));
  return (slug, body) => bySlug.get(slug) ?? withoutSlug.get(contentOf(body)) ?? null;
}

/** Whether the post was sent with the same content. */
export function hasContent(post: KnownPost, body: Readonly<Record<string, unknown>>): boolean {
  return post.content === contentOf(body);
}

function knownPost(record: HistoryRecord): KnownPost {
  const body = asObject(parseJson(record.body));
  const slug = textAt(body, ['slug']);
  return {
    record,
    slug: slug ?? textAt(answerBody(record), ['slug']),
    sentSlug: slug !== null,
    content: contentOf(body),
  };
}

function contentOf({ slug: _, ...body }: Readonly<Record<string, unknown>>): string {
  return fingerprint({ operation: createBlogPost.id, path: '', body: JSON.stringify(body) });
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
