import { asObject, parseJson } from '../../../base/json.ts';
import {
  countItems,
  describeTotals,
  type ItemResult,
  knownResult,
  makeResult,
} from '../../../cli/batch/item-result.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { History } from '../../../history/history.ts';
import { fingerprint } from '../../../history/intent.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import { existenceAfter } from '../../../history/objects/existing.ts';
import type { PostFile } from './post-files.ts';

export const words = {
  one: 'post',
  many: 'posts',
  done: 'Created',
  applied: 'created',
  wrong: ['was created earlier with other content', 'were created earlier with other content'],
  exists: ['already exists', 'already exist'],
  again: 'posts that exist are skipped',
} as const;

/**
 * A file, and what to do with it: create the post, check what became of an earlier request, or nothing because its result is
 * known.
 */
export interface PlannedPost {
  readonly post: PostFile;
  readonly plan: 'create' | 'check' | ItemResult;
  /** The record of the earlier request. */
  readonly earlier: HistoryRecord | null;
}

/** Plans each post from the history of this machine. */
export function planPosts(
  history: History,
  posts: readonly PostFile[],
  allowsDuplicates: boolean,
): PlannedPost[] {
  const find = allowsDuplicates ? () => null : readKnownPosts(history);
  return posts.map((post) => {
    const found = find(post.slug, post.body);
    const plan = found === null ? 'create' : planKnown(post, found);
    return { post, plan, earlier: found?.record ?? null };
  });
}

const changedFile = [
  {
    say: 'posts cannot be edited: to publish a changed file as a new post, set another slug in its front matter',
  },
];

function planKnown(post: PostFile, found: KnownPost): PlannedPost['plan'] {
  const { record } = found;
  const isSame = found.content === contentOf(post.body);
  if (record.state === 'applied') {
    if (isSame) return makeResult('exists', { record });
    return makeResult('failed', {
      record,
      code: 'content_changed',
      message: `created earlier with other content (${record.id})`,
      remedy: changedFile,
      exitCode: exitCodes.conflict,
    });
  }
  if (isSame && found.sentSlug) return 'check';
  return inDoubt(record, isSame ? '' : ', with other content');
}

/** A post that was sent, and that storectl cannot find out about. */
export function inDoubt(record: HistoryRecord, how = ''): ItemResult {
  return makeResult('unknown', {
    record,
    code: 'outcome_unknown',
    message: `sent earlier${how}, and the response was lost (${record.id})`,
    remedy: [
      { say: 'look at the blog of the store' },
      {
        run: ['resume', 'ID', '--mark', 'applied'],
        rest: 'for a post that is there, or `--mark not-applied` for one that is not',
      },
    ],
  });
}

/** The stable word of `--dry-run --json`. */
export function planWord({ plan }: PlannedPost): string {
  return typeof plan === 'string' ? plan : plan.outcome;
}

/** What is shown before posts are created. */
export function describePosts(planned: readonly PlannedPost[]): Plan {
  const problems = planned.flatMap((one) => {
    const known = knownResult(one);
    return known === null || known.outcome === 'exists'
      ? []
      : [{ item: printable(one.post.file), reason: known.message }];
  });
  const sent = planned.filter((one) => knownResult(one) === null);
  const rows = sent
    .toSorted((one, other) => Number(one.plan === 'create') - Number(other.plan === 'create'))
    .map((one) => {
      const { file, slug, body } = one.post;
      const cells = [planWord(one), printable(file), printable(slug), statusOf(one.post)];
      return [...cells, printableInOneLine(String(body.title))];
    });
  return {
    problems,
    header: ['PLAN', 'FILE', 'SLUG', 'STATUS', 'TITLE'],
    rows,
    totals: describeAll(planned),
    notes: notesOf(planned),
  };
}

function notesOf(planned: readonly PlannedPost[]): string[] {
  const notes: string[] = [];
  if (planned.some(({ plan }) => plan === 'check')) {
    notes.push(
      'To check: an earlier run sent these posts and was interrupted before the response. storectl finds out which of them exist and creates the others, each once.',
    );
  }
  if (planned.some(({ post, plan }) => plan === 'create' && post.body.status === undefined))
    notes.push('Posts without a status become drafts. To publish them, add --status published.');
  return notes;
}

/** `published`; a post without a status becomes a draft. */
function statusOf({ body }: PostFile): string {
  return printable(String(body.status ?? 'draft'));
}

/** `12 to create (10 as drafts, 2 published), 2 already exist, 1 to check`. */
function describeAll(planned: readonly PlannedPost[]): string {
  const create = planned.filter(({ plan }) => plan === 'create');
  const check = planned.filter(({ plan }) => plan === 'check');
  const known = planned.flatMap((one) => knownResult(one)?.outcome ?? []);
  return [
    ...(create.length === 0 ? [] : [`${create.length} to create ${describeStatuses(create)}`]),
    ...(check.length === 0 ? [] : [`${check.length} to check`]),
    describeTotals(known, words, { isPlan: true }),
  ]
    .filter(Boolean)
    .join(', ');
}

/** `as drafts`, `as published posts`, or `(10 draft, 2 published)`. */
function describeStatuses(planned: readonly PlannedPost[]): string {
  const statuses = planned.map(({ post }) => statusOf(post));
  const [first = 'draft', ...others] = new Set(statuses);
  if (others.length > 0) {
    const counts = [first, ...others].map(
      (status) => `${statuses.filter((one) => one === status).length} ${status}`,
    );
    return `(${counts.join(', ')})`;
  }
  const isOne = planned.length === 1;
  if (first === 'draft') return isOne ? 'as a draft' : 'as drafts';
  return `(${first})`;
}

/** `Create 15 posts as drafts and check 8 that were sent earlier?`; null if nothing is to be sent. */
export function questionOf(planned: readonly PlannedPost[]): string | null {
  const create = planned.filter(({ plan }) => plan === 'create');
  const check = planned.filter(({ plan }) => plan === 'check').length;
  if (create.length + check === 0) return null;
  const earlier = `that ${check === 1 ? 'was' : 'were'} sent earlier`;
  const creating = `${countItems(create.length, words)} ${describeStatuses(create)}`;
  if (check === 0) return `Create ${creating}?`;
  return create.length === 0
    ? `Check ${countItems(check, words)} ${earlier}?`
    : `Create ${creating} and check ${check} ${earlier}?`;
}

/** A post that this machine sent to the store. */
interface KnownPost {
  readonly record: HistoryRecord;
  /** Slug in the request, else in the response; null if neither is known. */
  readonly slug: string | null;
  /** Whether the request contained the slug. */
  readonly sentSlug: boolean;
  /** Fingerprint of the request without the slug. */
  readonly content: string;
}

/** Finds the post with a slug, or one that was sent without a slug and with the same content. */
type FindPost = (slug: string, body: Readonly<Record<string, unknown>>) => KnownPost | null;

/**
 * Reads the posts of the store from the history, once for all files, without those that a restore has removed. Throws a
 * DamagedError if a log cannot be read: its posts would be created again.
 */
function readKnownPosts(history: History): FindPost {
  const records = history.listWhole();
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
