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
import { upperFirst } from '../../../cli/output/labels.ts';
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

/** What is shown before posts are created, and the question about it; null if nothing is to be sent. */
export function describePosts(planned: readonly PlannedPost[]): Plan & { readonly question: string | null } {
  const known = planned.flatMap((one) => {
    const result = knownResult(one);
    return result === null ? [] : [{ file: one.post.file, result }];
  });
  const create = planned.filter(({ plan }) => plan === 'create');
  const check = planned.filter(({ plan }) => plan === 'check');
  const rows = [...check, ...create].map((one) => {
    const { file, slug, body } = one.post;
    const cells = [planWord(one), printable(file), printable(slug), statusOf(one.post)];
    return [...cells, printableInOneLine(String(body.title))];
  });
  const [isCreating, isChecking] = [create.length > 0, check.length > 0];
  const statuses = isCreating ? describeStatuses(create) : '';
  const earlier = `${countItems(check.length, words)} sent earlier`;
  const totals = [
    isCreating && `${create.length} to create ${statuses}`,
    isChecking && `${check.length} to check`,
    describeTotals(
      known.map(({ result }) => result.outcome),
      words,
      { isPlan: true },
    ),
  ];
  const actions = [
    isCreating && `create ${countItems(create.length, words)} ${statuses}`,
    isChecking && `check ${earlier}`,
  ];
  const notes = [
    isChecking &&
      'To check: an earlier run sent these posts and was interrupted before the response. storectl finds out which of them exist and creates the others, each once.',
    create.some(({ post }) => post.body.status === undefined) &&
      'Posts without a status become drafts. To publish them, add --status published.',
  ];
  return {
    problems: known
      .filter(({ result }) => result.outcome !== 'exists')
      .map(({ file, result }) => ({ item: printable(file), reason: result.message })),
    header: ['PLAN', 'FILE', 'SLUG', 'STATUS', 'TITLE'],
    rows,
    totals: totals.filter(Boolean).join(', '),
    notes: notes.filter((note) => note !== false),
    question: rows.length === 0 ? null : `${upperFirst(actions.filter(Boolean).join(' and '))}?`,
  };
}

/** `published`; a post without a status becomes a draft. */
function statusOf({ body }: PostFile): string {
  return printable(String(body.status ?? 'draft'));
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
