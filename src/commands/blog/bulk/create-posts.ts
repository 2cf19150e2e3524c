import type { Context } from '../../../cli/command/context.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { type Progress, startProgress } from '../../../cli/command/progress.ts';
import { CliError, cancelledError, usageError } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import type { FieldFlag } from '../../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../../cli/input/request-body.ts';
import {
  beginBatch,
  concernsOneItem,
  forEachConcurrently,
  mostSevereExitCode,
  rephraseForBatch,
  startBatch,
  withBatchLock,
  withGrace,
  withResultsFile,
} from '../../../cli/operation/run/bulk.ts';
import { isOutputWritten, markReported } from '../../../cli/operation/run/mark-reported.ts';
import { noticeDone } from '../../../cli/operation/run/print-result.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { announce, noteDrift, performInBatch } from '../../../cli/operation/run/send.ts';
import type { Applied } from '../../../client/outcome.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { Batch } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import type { KnownPost } from './known-posts.ts';
import { maxPending, startPace } from './pace.ts';
import { type PlannedPost, type PostResult, planPosts, resultOf } from './plan.ts';
import { type PostFile, readPostFiles } from './post-files.ts';
import { closeUnsent, settleBySlug } from './settle-post.ts';
import { countPosts, describeTotals, printPlan, showAndConfirmPlan, words } from './show-plan.ts';

/** After this many unknown outcomes in a row the batch stops: the service is failing, not single posts. */
const maxConsecutiveUnknown = 3;

/**
 * Creates a post for each file. All files are validated before anything is sent. Run again, it continues: posts that exist
 * according to the history are skipped, and lost answers are settled by slug.
 */
export async function createPosts(
  context: Context,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
  files: readonly string[],
): Promise<ExitCode | undefined> {
  const posts = await readPostFiles(context, files, await readCommon(context, fields, parsed));
  const run = await startBatch(context, createBlogPost, fields);
  if (context.flags.dryRun) {
    printPlan(context, await planPosts(run, posts, parsed));
    return undefined;
  }
  await announce(run);
  return withResultsFile(context, parsed, (write) =>
    withBatchLock(run, async () => {
      await closeUnsent(run);
      const planned = await planPosts(run, posts, parsed);
      await showAndConfirmPlan(context, planned);
      return createAll(run, planned, write);
    }),
  );
}

/** Reads the fields from flags, which apply to all posts. */
async function readCommon(
  context: Context,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<Record<string, unknown>> {
  const common = await readBody(context, fields, parsed);
  const own = ['title', 'slug', 'contentMd'].filter((name) => name in common);
  checkBody(createBlogPost, fields, common);
  if (own.length === 0) return common;
  throw usageError(
    `${own.join(' and ')} cannot be set for several files at once`,
    'set it in each file: front matter, first heading or file name',
  );
}

async function createAll(
  run: Run,
  planned: readonly PlannedPost[],
  write: (document: unknown) => void,
): Promise<ExitCode> {
  const { context } = run.ui;
  const { signal } = context.io;
  const results = new Map<PostFile, PostResult>();
  const grace = withGrace(context);
  const progress = startProgress(context, planned.length, 'posts');
  const fileWidth = Math.max(...planned.map(({ post }) => post.file.length));
  let stop: CliError | null = null;
  let consecutiveUnknown = 0;
  const isOver = () => stop !== null || signal.aborted;
  const own = { ...run, ui: { ...run.ui, context: grace.context } };
  const pace = startPace();
  const batch = await beginBatch(own, { maxAtOnce: pace.maxConcurrent, onRetry: pace.failed, isOver });
  const answers: Applied[] = [];
  const onApplied = (answer: Applied) => {
    answers.push(answer);
    pace.applied();
  };
  const finish = (post: PostFile, result: PostResult, isPlanned = false) => {
    results.set(post, result);
    // In a terminal, the plan has already shown what exists.
    if (isPlanned && context.canPrompt && result.outcome === 'exists') progress.step(null);
    else report(context, progress, result, fileWidth);
  };
  try {
    const tasks = planned.map((one) => ({ post: one.post, work: prepareTask(own, batch, one, onApplied) }));
    await forEachConcurrently(
      tasks,
      maxPending,
      async ({ post, work }) => {
        if (typeof work !== 'function') return finish(post, work, true);
        try {
          const result = await work();
          if (result === null) return;
          finish(post, result);
          consecutiveUnknown = 0;
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const { exitCode, code } = error.details;
          // It was recorded but never sent.
          if (isOver() && code === 'cancelled') return;
          pace.failed();
          if (exitCode === exitCodes.unknown) consecutiveUnknown += 1;
          finish(post, failed(post, error));
          const isOwn = concernsOneItem(exitCode) || exitCode === exitCodes.unknown;
          if (!isOwn || consecutiveUnknown >= maxConsecutiveUnknown) stop ??= error;
        }
      },
      isOver,
    );
  } finally {
    batch.end();
    grace.dispose();
    progress.end();
    noteDrift(context, answers);
  }
  if (signal.aborted) stop ??= cancelledError();
  const all = planned.map(({ post }) => results.get(post) ?? notSent(post));
  const documents = all.map(({ exitCode: _, ...result }) => result);
  if (context.flags.json) printJson(context, documents);
  write(documents);
  // A batch that ends with an error has told what it created, too.
  if (await isOutputWritten(context.io)) await markReported(context);
  return conclude(context, all, stop);
}

/**
 * The known result of a post, or a task that sends it; the task returns null if the batch ended before. Requests are
 * prepared before the first one is sent, because a local service needs the processor afterwards.
 */
function prepareTask(
  run: Run,
  batch: Batch,
  { post, plan }: PlannedPost,
  onApplied: (answer: Applied) => void,
): PostResult | (() => Promise<PostResult | null>) {
  if ('outcome' in plan) return plan;
  if (plan.do === 'settle') return () => batch.inSlot(() => settle(run, post, plan.known));
  const prepared = batch.prepare(post.body);
  return async () => {
    const { applied, record } = await performInBatch(run, batch, prepared);
    onApplied(applied);
    return created(post, applied, record);
  };
}

async function settle(run: Run, { file, slug }: PostFile, doubtful: KnownPost): Promise<PostResult> {
  const { created, ...known } = await settleBySlug(run, doubtful);
  const message = created
    ? 'sent again: the first request was not applied'
    : 'created earlier: the response was lost';
  return {
    file,
    slug,
    outcome: created ? 'created' : 'exists',
    ...known,
    message,
    exitCode: exitCodes.done,
  };
}

function created({ file, slug }: PostFile, { body, requestId }: Applied, record: HistoryRecord): PostResult {
  return {
    file,
    slug: textAt(body, ['slug']) ?? slug,
    outcome: 'created',
    id: textAt(body, ['id']),
    requestId,
    operationId: record.id,
    message: '',
    exitCode: exitCodes.done,
  };
}

function failed({ file, slug }: PostFile, { details }: CliError): PostResult {
  const { message, exitCode, requestId = null, operationId = null } = details;
  const outcomes = {
    unknown: 'unknown',
    rejected: 'failed',
    not_sent: 'not_sent',
    applied: 'failed',
  } as const;
  const outcome = outcomes[details.outcome ?? 'not_sent'];
  return { file, slug, outcome, id: null, requestId, operationId, message, exitCode };
}

function notSent(post: PostFile): PostResult {
  const message = 'not reached: the run stopped earlier';
  return { ...resultOf(post, null), outcome: 'not_sent', message, exitCode: exitCodes.done };
}

function report({ flags, print }: Context, progress: Progress, result: PostResult, fileWidth: number): void {
  const { file, slug, outcome, id, message } = result;
  if (flags.json) progress.step(null);
  else if (flags.quiet) {
    progress.step(null);
    if (outcome === 'created' && id !== null) print(printable(id));
  } else {
    const parts = [
      outcome.padEnd(7),
      file.padEnd(fileWidth),
      // The refusal of a taken slug does not name the id.
      outcome === 'exists' ? (id ?? '-') : id,
      outcome === 'failed' ? null : slug,
      message,
    ];
    progress.step(printableInOneLine(parts.filter(Boolean).join('  ')));
  }
}

/** Returns exit 0, or throws an error that says what is left to do. */
function conclude(context: Context, results: readonly PostResult[], stop: CliError | null): ExitCode {
  const outcomes = results.map(({ outcome }) => words[outcome]);
  const summary = describeTotals(outcomes);
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = mostSevereExitCode(stop === null ? codes : [...codes, stop.details.exitCode]);
  const count = outcomes.filter((word) => word === words.created).length;
  if (exitCode === exitCodes.done) {
    const others = describeTotals(outcomes.filter((word) => word !== words.created));
    if (count === 0) context.notice(summary);
    else noticeDone(context, `Created ${countPosts(count)}${others === '' ? '' : `, ${others}`}`);
    return exitCode;
  }
  const isUnanswered = stop?.details.exitCode === exitCodes.unknown && stop.details.status === undefined;
  const when = isUnanswered ? 'when the service answers' : 'to continue';
  const skipped = 'posts that exist are skipped';
  const again = `run the same command again ${when}; ${skipped}`;
  throw new CliError({
    code: stop?.details.code ?? 'incomplete',
    exitCode,
    message:
      stop === null
        ? `not all posts were created: ${summary}`
        : `stopped (${summary}): ${rephraseForBatch(stop.message)}`,
    hint: stop === null ? `fix the files that failed, and run the same command again; ${skipped}` : again,
  });
}
