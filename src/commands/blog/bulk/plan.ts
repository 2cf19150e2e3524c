import { asObject, textAt } from '../../../base/json.ts';
import { sha256 } from '../../../base/sha256.ts';
import {
  describeStatuses,
  type ItemPlan,
  type ItemResult,
  known,
  knownResult,
  makeResult,
} from '../../../cli/batch/item-result.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import type { Step } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { restoreBackup } from '../../../contract/operations/backups.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import { isRestoredOver } from '../../../history/changes/earlier.ts';
import type { StoreHistory } from '../../../history/history.ts';
import {
  type HistoryRecord,
  isInDoubt,
  receivedBody,
  sentBody,
} from '../../../history/record/history-record.ts';
import type { PostProblem } from '../post/fields.ts';
import { skipInvalid } from './file-options.ts';
import { describeLeftOut, noteLeftInText } from './left-out.ts';
import type { PostFile } from './post-files.ts';

export const postWords = {
  one: 'post',
  many: 'posts',
  applied: 'created',
  exists: 'already created',
  again: 'no post is created twice',
  fix: 'fix the files that the service refused',
} as const;

/**
 * A file, and what to do with it: create the post, check whether an earlier request was applied, or nothing because its result is
 * known.
 */
export interface PlannedPost {
  readonly post: PostFile;
  readonly plan: ItemPlan<'create'> | { readonly kind: 'check'; readonly earlier: HistoryRecord };
  /** The record of the earlier request. */
  readonly earlier: HistoryRecord | null;
  /** A post with the same content was created with another slug. */
  readonly isCopy: boolean;
}

/**
 * Plans each post from the history of this machine. A post counts as sent by its slug, title and content, not by what else was
 * mapped from its file or by what the clock says, so the same command continues on any day and in any time zone.
 */
export function planPosts(
  history: StoreHistory,
  posts: readonly PostFile[],
  { allowsDuplicates, skipsInvalid }: { readonly allowsDuplicates: boolean; readonly skipsInvalid: boolean },
): PlannedPost[] {
  const sent = allowsDuplicates ? [] : readKnownPosts(history);
  const bySlug = new Map(sent.map((record) => [slugOf(record), record]));
  const byContent = new Map(sent.map((record) => [contentOf(asObject(sentBody(record))), record]));
  const found = posts.map((post) => {
    const { slug, body } = post;
    const isSlugSent = body.slug !== undefined;
    const sameContent = byContent.get(contentOf(body)) ?? null;
    const earlier = slug === null ? null : isSlugSent ? (bySlug.get(slug) ?? null) : sameContent;
    const isCopy = earlier === null && sameContent !== null;
    return { post, plan: planOf(post, earlier), earlier, isCopy };
  });
  const others = skipsInvalid || !hasOthers(found) ? '' : `, or add ${skipInvalid} to create the others`;
  const fix = { say: `fix the invalid files${others}` };
  return found.map((one) => withFix(one, fix));
}

/** Whether something can be sent without the invalid files. */
export function hasOthers(planned: readonly PlannedPost[]): boolean {
  return planned.some((one) => knownResult(one) === null);
}

/** What to do about all invalid files, after what to do about this one. */
function withFix(planned: PlannedPost, fix: Step): PlannedPost {
  const result = knownResult(planned);
  if (result?.code !== invalidFile) return planned;
  return { ...planned, plan: known({ ...result, remedy: [...result.remedy, fix] }) };
}

function planOf(post: PostFile, earlier: HistoryRecord | null): PlannedPost['plan'] {
  const { problem, notAPost } = post;
  const sent = earlier === null || post.body.contentMd === undefined ? null : planSent(post, earlier);
  // What exists as it is in the file is not wrong any more: a time that had to be in the future has come.
  if (sent !== null && (sent.kind !== 'known' || sent.result.outcome === 'exists')) return sent;
  if (notAPost !== null)
    return known(makeResult('skipped', { code: notAPost.code, message: notAPost.reason }));
  if (problem !== null) return known(invalidResult(problem));
  return sent ?? { kind: 'create' };
}

/** The file is wrong, so nothing of it is sent. */
function invalidResult({ field, reason, detail, fix }: PostProblem): ItemResult {
  return makeResult('failed', {
    code: invalidFile,
    message: [field, reason].filter(Boolean).join(' '),
    detail,
    remedy: fix === undefined ? [] : [{ say: fix }],
    exitCode: exitCodes.usage,
  });
}

export const invalidFile = 'invalid_file';

/** The post with the line that is wrong in it, if one is: `a.md:3`. */
export function placeOf({ file, problem }: PostFile): string {
  return problem?.line ? `${file}:${problem.line}` : file;
}

function planSent(post: PostFile, record: HistoryRecord): PlannedPost['plan'] {
  const sent = asObject(sentBody(record));
  const isSame = contentOf(sent) === contentOf(post.body);
  if (record.state === 'applied') {
    if (isSame) return known(makeResult('exists', { record }));
    const say =
      'posts cannot be edited: to publish the file as a new post, set another slug in its front matter';
    return known(
      makeResult('failed', {
        record,
        code: 'content_changed',
        message: 'created earlier with other content',
        detail: printableInOneLine(`"${sent.title}", change ${record.id}`),
        remedy: [{ say }],
        exitCode: exitCodes.conflict,
      }),
    );
  }
  return isSame ? { kind: 'check', earlier: record } : known(inDoubt(record, ', with other content'));
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
  return plan.kind === 'known' ? plan.result.outcome : plan.kind;
}

interface PlanContext {
  /** What the user should know of the files, or null. */
  readonly note: string | null;
  /** IANA name, of dates in the files that name none. */
  readonly timeZone: string;
}

/** What is shown before posts are created. */
export function describePosts(planned: readonly PlannedPost[], { note, timeZone }: PlanContext): Plan {
  const dayOf = dayIn(timeZone);
  const create = planned.filter(({ plan }) => plan.kind === 'create');
  const check = planned.filter(({ plan }) => plan.kind === 'check');
  const differs = create.length > 0 && check.length > 0;
  const statuses = describeStatuses(create.map(({ post }) => statusOf(post)));
  return {
    words: postWords,
    known: planned.flatMap((one) => {
      const result = knownResult(one);
      return result === null ? [] : [{ name: placeOf(one.post), result }];
    }),
    // What is to be done is a column where it differs; the counts say it otherwise.
    header: [...(differs ? ['PLAN'] : []), 'STATUS', 'FILE', 'SLUG', 'TITLE'],
    fits: [...(differs ? [undefined] : []), undefined, 'cut start', 'cut end', 'cut end'],
    rows: [...check, ...create].map((one) => {
      const { file, slug, body } = one.post;
      const cells = [statusWithDay(one.post, dayOf), file, slug ?? '', String(body.title)];
      return differs ? [planWord(one), ...cells] : cells;
    }),
    counts: [
      ...(create.length > 0 ? [`${create.length} to create (${statuses})`] : []),
      ...(check.length > 0
        ? [
            `${check.length} to check (sent before, without a response: only those that are missing are created)`,
          ]
        : []),
    ],
    notes: [
      ...(note === null ? [] : [note]),
      ...notesOf(
        planned,
        create.map(({ post }) => post),
      ),
    ],
  };
}

function notesOf(planned: readonly PlannedPost[], create: readonly PostFile[]): string[] {
  const dates = create.filter(({ losesDate }) => losesDate).length;
  return [
    ...(create.some(({ body }) => body.status === undefined) ? [howToPublish] : []),
    ...(dates === 0
      ? []
      : [
          `Drafts have no date: ${dates === 1 ? 'the date of 1 post is' : `the dates of ${dates} posts are`} not sent.`,
        ]),
    ...noteLeftInText(create),
    describeLeftOut(create) ?? [],
    ...noteOtherStatus(planned),
    ...noteCopies(
      planned.filter(({ plan, isCopy }) => plan.kind === 'create' && isCopy).map(({ post }) => post.file),
    ),
  ].flat();
}

const howToPublish = 'Posts without a status become drafts. To publish them, add --status published.';

/** The same command with another status does not change what exists. */
function noteOtherStatus(planned: readonly PlannedPost[]): string[] {
  const others = planned.filter(
    ({ post, plan, earlier }) =>
      knownResult({ plan })?.outcome === 'exists' &&
      (textAt(earlier && sentBody(earlier), ['status']) ?? 'draft') === 'draft' &&
      (post.body.status ?? 'draft') !== 'draft',
  );
  const [first] = others;
  if (first === undefined) return [];
  return [
    `Warning: ${filesOf(others.map(({ post }) => post.file))}: created earlier as a draft; posts cannot be edited.`,
  ];
}

/** Posts cannot be deleted, so a file that was only renamed is named before it becomes another post. */
function noteCopies(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  return [`Warning: ${filesOf(files)}: created earlier with the same content and another slug.`];
}

function filesOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** A post without a status becomes a draft. */
function statusOf({ body }: PostFile): string {
  return String(body.status ?? 'draft');
}

/** `published 2013-05-06`, `published now`, or `draft (expiryDate)` where the file is not called a draft. */
function statusWithDay(post: PostFile, dayOf: (time: string) => string): string {
  const time = post.body.publishedAt ?? post.body.scheduledAt;
  const status = statusOf(post);
  if (typeof time === 'string') return `${status} ${dayOf(time)}`;
  if (post.privateBy !== null && status === 'draft') return `${status} (${post.privateBy})`;
  return status === 'published' ? `${status} now` : status;
}

/** The day of a timestamp, such as 2013-05-06, in the zone of the files: that of its date in the file. */
function dayIn(timeZone: string): (time: string) => string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, ...parts });
  return (time) => {
    const ms = Date.parse(time);
    // `--published-at` may be text that only the service understands.
    if (Number.isNaN(ms)) return time.slice(0, 10);
    const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${part.year}-${part.month}-${part.day}`;
  };
}

/**
 * The posts that this machine has sent: those in doubt before those that were applied, older before newer, without those that a
 * later restore of the blog may have removed. Throws a DamagedError if a log cannot be read: its posts would be created again.
 */
function readKnownPosts(history: StoreHistory): HistoryRecord[] {
  const records = history.snapshot().listWhole();
  const restores = records.filter(({ operation }) => operation === restoreBackup.id);
  const posts = records.filter(({ operation }) => operation === createBlogPost.id).reverse();
  return [
    ...posts.filter(isInDoubt),
    ...posts.filter((post) => post.state === 'applied' && !isRestoredOver(post, restores)),
  ];
}

function slugOf(record: HistoryRecord): string | null {
  return textAt(sentBody(record), ['slug']) ?? textAt(receivedBody(record), ['slug']);
}

function contentOf({ title, contentMd }: Readonly<Record<string, unknown>>): string {
  return sha256(JSON.stringify([title, contentMd]));
}
