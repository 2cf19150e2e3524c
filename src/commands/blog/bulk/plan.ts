import { countItems, describeTotals, type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import type { History } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { hasContent, type KnownPost, readKnownPosts } from './known-posts.ts';
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

/** A file, and what to do with it: create the post, settle an earlier request, or nothing because its result is known. */
export interface PlannedPost {
  readonly post: PostFile;
  readonly plan: 'create' | { readonly settle: HistoryRecord } | ItemResult;
}

/** Plans each post from the history of this machine. */
export function planPosts(
  history: History,
  posts: readonly PostFile[],
  allowsDuplicates: boolean,
): PlannedPost[] {
  if (allowsDuplicates) return posts.map((post) => ({ post, plan: 'create' }));
  const find = readKnownPosts(history);
  return posts.map((post) => {
    const found = find(post.slug, post.body);
    return { post, plan: found === null ? 'create' : planKnown(post, found) };
  });
}

const changedFile = [
  {
    say: 'posts cannot be edited: to publish a changed file as a new post, set another slug in its front matter',
  },
];

function planKnown(post: PostFile, found: KnownPost): PlannedPost['plan'] {
  const { record } = found;
  const isSame = hasContent(found, post.body);
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
  if (isSame && found.sentSlug) return { settle: record };
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

/** The result that is known before anything is sent, or null. */
export function knownResult({ plan }: PlannedPost): ItemResult | null {
  return typeof plan === 'object' && 'outcome' in plan ? plan : null;
}

/** The stable word of `--dry-run --json`. */
export function planWord({ plan }: PlannedPost): string {
  if (plan === 'create') return plan;
  return 'settle' in plan ? 'check' : plan.outcome;
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
  if (planned.some(({ plan }) => typeof plan === 'object' && 'settle' in plan)) {
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
  const check = planned.filter(({ plan }) => typeof plan === 'object' && 'settle' in plan);
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
  const check = planned.filter(({ plan }) => typeof plan === 'object' && 'settle' in plan).length;
  if (create.length + check === 0) return null;
  const earlier = `that ${check === 1 ? 'was' : 'were'} sent earlier`;
  const creating = `${countItems(create.length, words)} ${describeStatuses(create)}`;
  if (check === 0) return `Create ${creating}?`;
  return create.length === 0
    ? `Check ${countItems(check, words)} ${earlier}?`
    : `Create ${creating} and check ${check} ${earlier}?`;
}
