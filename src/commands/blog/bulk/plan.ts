import { asObject, parseJson } from '../../../base/json.ts';
import {
  describeStatuses,
  type ItemResult,
  knownResult,
  makeResult,
} from '../../../cli/batch/item-result.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { restoreBackup } from '../../../contract/operations/backups.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import { isRestoredOver } from '../../../history/changes/earlier.ts';
import type { History } from '../../../history/history.ts';
import { fingerprint } from '../../../history/intent.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import type { PostFile } from './post-files.ts';

export const words = {
  one: 'post',
  many: 'posts',
  applied: 'created',
  exists: 'already created',
  again: 'no post is created twice',
  fix: 'fix the files that the service refused',
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
  /** A post with the same content was created with another slug. */
  readonly isCopy: boolean;
}

/** Plans each post from the history of this machine. */
export function planPosts(
  history: History,
  posts: readonly PostFile[],
  allowsDuplicates: boolean,
): PlannedPost[] {
  const known = readKnownPosts(history);
  const bySlug = new Map(allowsDuplicates ? [] : known.map((record) => [slugOf(record), record]));
  const contents = new Set(
    allowsDuplicates ? [] : known.map(({ body }) => contentOf(asObject(parseJson(body)))),
  );
  return posts.map((post) => {
    const earlier = (post.slug !== null && bySlug.get(post.slug)) || null;
    const isCopy = earlier === null && contents.has(contentOf(post.body));
    return { post, plan: earlier === null ? 'create' : planKnown(post, earlier), earlier, isCopy };
  });
}

function planKnown(post: PostFile, record: HistoryRecord): PlannedPost['plan'] {
  const sent = asObject(parseJson(record.body));
  const isSame = contentOf(sent) === contentOf(post.body);
  if (record.state === 'applied') {
    if (isSame) return makeResult('exists', { record });
    const say =
      'posts cannot be edited: to publish the file as a new post, set another slug in its front matter';
    return makeResult('failed', {
      record,
      code: 'content_changed',
      message: printableInOneLine(
        `the post with the slug "${post.slug}" has other content: "${sent.title}" (${record.id})`,
      ),
      remedy: [{ say }],
      exitCode: exitCodes.conflict,
    });
  }
  return isSame ? 'check' : inDoubt(record, ', with other content');
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
  const create = planned.filter(({ plan }) => plan === 'create');
  const check = planned.filter(({ plan }) => plan === 'check');
  const statuses = describeStatuses(create.map(({ post }) => statusOf(post)));
  return {
    words,
    known: planned.flatMap((one) => {
      const result = knownResult(one);
      return result === null ? [] : [{ name: printable(one.post.file), result }];
    }),
    header: ['PLAN', 'FILE', 'SLUG', 'STATUS', 'TITLE'],
    rows: [...check, ...create].map((one) => {
      const { file, slug, body } = one.post;
      const cells = [planWord(one), printable(file), printable(slug ?? ''), statusOf(one.post)];
      return [...cells, printableInOneLine(String(body.title))];
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
      ...(create.some(({ post }) => post.body.status === undefined) ? [howToPublish] : []),
      ...noteCopies(create.filter(({ isCopy }) => isCopy).map(({ post }) => printable(post.file))),
    ],
  };
}

/** Posts cannot be deleted, so a file that was only renamed is named before it becomes another post. */
function noteCopies([file, ...others]: readonly string[]): string[] {
  if (file === undefined) return [];
  const files = others.length === 0 ? file : `${file} and ${others.length} more`;
  return [`Warning: ${files}: created earlier with the same content and another slug.`];
}

const howToPublish = 'Posts without a status become drafts. To publish them, add --status published.';

/** A post without a status becomes a draft. */
function statusOf({ body }: PostFile): string {
  return printable(String(body.status ?? 'draft'));
}

/**
 * The posts that this machine has sent: those in doubt before those that were applied, older before newer, without those that a
 * later restore of the blog may have removed. Throws a DamagedError if a log cannot be read: its posts would be created again.
 */
function readKnownPosts(history: History): HistoryRecord[] {
  const records = history.listWhole();
  const restores = records.filter(({ operation }) => operation === restoreBackup.id);
  const posts = records.filter(({ operation }) => operation === createBlogPost.id).reverse();
  return [
    ...posts.filter(isInDoubt),
    ...posts.filter((post) => post.state === 'applied' && !isRestoredOver(post, restores)),
  ];
}

function slugOf(record: HistoryRecord): string | null {
  return textAt(parseJson(record.body), ['slug']) ?? textAt(answerBody(record), ['slug']);
}

function contentOf({ slug: _, ...body }: Readonly<Record<string, unknown>>): string {
  return fingerprint({ operation: createBlogPost.id, path: '', body: JSON.stringify(body) });
}
