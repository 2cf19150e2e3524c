import { createBlogPost } from '../../contract/blog.ts';
import {
  alone,
  concernsOneItem,
  forEachAtOnce,
  gravestExitCode,
  startBatch,
  withGrace,
  withResultsFile,
} from '../batch.ts';
import type { ParsedCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { CliError, cancelledError, usageError } from '../errors.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { FieldFlag } from '../flags.ts';
import { checkBody, readBody } from '../input.ts';
import { announce, type Run } from '../operation-command.ts';
import { getPath } from '../paths.ts';
import { perform } from '../perform.ts';
import { printJson } from '../print-json.ts';
import { type Progress, startProgress } from '../progress.ts';
import { printable, printableInOneLine } from '../sanitize.ts';
import { type PostFile, readPostFiles } from './files.ts';
import { type Plan, type PostResult, planPosts, resultOf } from './plan.ts';
import { closeUnsent, settleBySlug } from './settle-post.ts';

/** Posts that are on their way at the same time. */
const postsAtOnce = 4;

/** Posts that are on their way, or being written down before or after that. */
const postsInHand = 4 * postsAtOnce;

/** So many unknown outcomes without an answer in between: it is the service, and not the posts. */
const mostUnknownInARow = 3;

/**
 * Creates a post for each file. Everything is checked before anything is sent. Run again, it goes on: posts that the
 * history knows to be there are left alone, and those whose answer was lost are settled by their slug.
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
    printPlan(run, posts, await planPosts(run, posts, parsed));
    return undefined;
  }
  announce(run);
  return withResultsFile(context, parsed, (write) =>
    alone(run, async () => {
      await closeUnsent(run);
      return createAll(run, posts, await planPosts(run, posts, parsed), write);
    }),
  );
}

/** What flags give to all posts alike. */
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
    `${own.join(' and ')} cannot be the same for several files`,
    'each file has its own: in front matter, in its first heading, in its name',
  );
}

async function createAll(
  run: Run,
  posts: readonly PostFile[],
  plans: readonly Plan[],
  write: (document: unknown) => void,
): Promise<ExitCode> {
  const { context } = run;
  const { signal } = context.io;
  const results = new Map<PostFile, PostResult>();
  const grace = withGrace(context);
  const progress = startProgress(context, posts.length, 'posts');
  let stop: CliError | null = null;
  let unknownInARow = 0;
  const isOver = () => stop !== null || signal.aborted;
  const batch = await (await context.history()).beginBatch({ mostAtOnce: postsAtOnce, isOver });
  const finish = (post: PostFile, result: PostResult) => {
    results.set(post, result);
    report(context, progress, result);
  };
  try {
    await forEachAtOnce(
      posts,
      postsInHand,
      async (post, index) => {
        const plan = plans[index];
        if (plan === undefined || 'outcome' in plan) {
          if (plan !== undefined) finish(post, plan);
          return;
        }
        try {
          const own = { ...run, batch, context: grace.context, body: post.body };
          finish(post, await createOne(own, post, plan));
          unknownInARow = 0;
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const { exitCode, code } = error.details;
          // It was written down, and never sent.
          if (isOver() && code === 'cancelled') return;
          if (exitCode === exitCodes.unknown) unknownInARow += 1;
          finish(post, failed(post, error));
          const isOwn = concernsOneItem(exitCode) || exitCode === exitCodes.unknown;
          if (!isOwn || unknownInARow >= mostUnknownInARow) stop ??= error;
        }
      },
      isOver,
    );
  } finally {
    await batch.end();
    grace.dispose();
    progress.end();
  }
  if (signal.aborted) stop ??= cancelledError();
  const all = posts.map((post) => results.get(post) ?? notSent(post));
  const documents = all.map(({ exitCode: _, ...result }) => result);
  if (context.flags.json) {
    printJson(context, documents);
  }
  write(documents);
  return conclude(context, all, stop);
}

async function createOne(run: Run, post: PostFile, plan: Exclude<Plan, PostResult>): Promise<PostResult> {
  const { file, slug } = post;
  if (plan.do === 'settle') {
    const { created, id, operationId, requestId } = await settleBySlug(run, plan.post);
    const message = created
      ? 'sent again, since its answer was lost'
      : 'its answer was lost, and its slug is taken';
    const outcome = created ? 'created' : 'exists';
    return { file, slug, outcome, id, requestId, operationId, message, exitCode: exitCodes.done };
  }
  const { answer, record } = await perform(run);
  const id = getPath(answer, ['id']);
  const given = getPath(answer, ['slug']);
  return {
    file,
    slug: typeof given === 'string' ? given : slug,
    outcome: 'created',
    id: typeof id === 'string' ? id : null,
    requestId: record?.answer?.requestId ?? null,
    operationId: record?.id ?? null,
    message: '',
    exitCode: exitCodes.done,
  };
}

function failed({ file, slug }: PostFile, { details }: CliError): PostResult {
  const { message, exitCode, requestId = null, operationId = null } = details;
  const outcome =
    exitCode === exitCodes.unknown ? 'unknown' : concernsOneItem(exitCode) ? 'failed' : 'not_sent';
  return { file, slug, outcome, id: null, requestId, operationId, message, exitCode };
}

function notSent(post: PostFile): PostResult {
  const message = 'the run ended before';
  return { ...resultOf(post, null), outcome: 'not_sent', message, exitCode: exitCodes.done };
}

function report({ flags, print }: Context, progress: Progress, result: PostResult): void {
  const { file, slug, outcome, id, message } = result;
  if (flags.json) progress.step(null);
  else if (flags.quiet) {
    progress.step(null);
    if (outcome === 'created' && id !== null) print(printable(id));
  } else {
    const parts = [outcome.padEnd(7), file, id, outcome === 'failed' ? null : slug, message];
    progress.step(printableInOneLine(parts.filter(Boolean).join('  ')));
  }
}

/** The exit code, or the error that says what is left to do. */
function conclude({ notice }: Context, results: readonly PostResult[], stop: CliError | null): ExitCode {
  const counts = (['created', 'exists', 'failed', 'unknown', 'not_sent'] as const)
    .map((outcome) => [outcome, results.filter((result) => result.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0);
  const summary = counts.map(([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`).join(', ');
  notice(summary);
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = gravestExitCode(stop === null ? codes : [...codes, stop.details.exitCode]);
  if (exitCode === exitCodes.done) return exitCode;
  const again = 'the same command goes on, and creates no post twice';
  throw new CliError({
    code: stop?.details.code ?? 'incomplete',
    exitCode,
    message: stop === null ? `not every post is there: ${summary}` : `stopped (${summary}): ${stop.message}`,
    hint: stop?.details.code === 'cancelled' ? again : `look at the lines above; ${again}`,
  });
}

function printPlan({ context }: Run, posts: readonly PostFile[], plans: readonly Plan[]): void {
  const words = { send: 'send', settle: 'send again to settle it' } as const;
  const rows = posts.map(({ file, slug, body }, index) => {
    const plan = plans[index];
    if (plan === undefined || 'do' in plan) return { file, slug, plan: words[plan?.do ?? 'send'], body };
    return { file, slug, plan: plan.outcome, body };
  });
  if (context.flags.json) printJson(context, rows);
  else
    for (const { file, slug, plan, body } of rows) {
      context.print(printable([plan, file, slug, String(body.title)].join('  ')));
    }
  context.notice('dry run: nothing was sent');
}
