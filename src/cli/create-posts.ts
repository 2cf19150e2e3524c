import { createBlogPost } from '../contract/blog.ts';
import { pathParameterProblem } from '../contract/operation.ts';
import { concernsOneItem, forEachAtOnce, gravestExitCode, selectFrom, withGrace } from './batch.ts';
import { isOn, type ParsedCommand } from './command.ts';
import type { Context } from './context.ts';
import { CliError, cancelledError, usageError } from './errors.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { FieldFlag } from './flags.ts';
import { readBody } from './input.ts';
import { hasContent, type KnownPost, readKnownPosts } from './known-posts.ts';
import { announce, type Run } from './operation-command.ts';
import { renderJson } from './output.ts';
import { getPath } from './paths.ts';
import { describeHistoryError, perform } from './perform.ts';
import { type PostFile, readPostFiles } from './post-files.ts';
import { type Progress, startProgress } from './progress.ts';
import { printable } from './sanitize.ts';
import { closeUnsent, describesUniqueSlugs, settleBySlug } from './settle-post.ts';

export const allowDuplicate = '--allow-duplicate';
export const slugsAreUnique = '--slugs-are-unique';

/** Posts that are on their way at the same time. */
const postsAtOnce = 4;

/** So many unknown outcomes without an answer in between: it is the service, and not the posts. */
const mostUnknownInARow = 3;

/** What became of a file, as `--json` prints it. */
interface PostResult {
  readonly file: string;
  readonly slug: string;
  readonly outcome: 'created' | 'exists' | 'failed' | 'unknown' | 'not_sent';
  /** Id of the post, or null where no answer told it. */
  readonly id: string | null;
  readonly requestId: string | null;
  readonly operationId: string | null;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** What is known of a file before anything is sent: `send`, what to `settle`, or the result already. */
type Plan = { readonly do: 'send' } | { readonly do: 'settle'; readonly post: KnownPost } | PostResult;

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
  const posts = await readPostFiles(context.io, files, await readCommon(context, fields, parsed));
  const connection = await context.connect();
  const problem = pathParameterProblem(connection.storeId);
  if (problem !== null) throw usageError(`--store ${problem}`, 'give the id as the service shows it');
  const run: Run = {
    context,
    connection,
    operation: createBlogPost,
    fields,
    // A request that was refused because of too many made no post, so it is sent again.
    parsed: { arguments: {}, options: new Map([['--retry-rate-limited', true]]) },
    parameters: {},
    body: null,
    asked: false,
  };
  if (context.flags.dryRun) {
    printPlan(run, posts, await planPosts(run, posts, parsed));
    return undefined;
  }
  announce(run);
  const history = await context.history();
  // A second run of the same files waits, and then finds what this one has done.
  const lock = await history
    .acquire(`batch ${createBlogPost.id} ${connection.origin} ${connection.storeId}`, {
      signal: context.io.signal,
      onWait: () => context.notice('another storectl creates posts of this store: waiting for it'),
    })
    .catch((error: unknown) => {
      throw context.io.signal.aborted ? cancelledError() : describeHistoryError(error);
    });
  try {
    await closeUnsent(run);
    return await createAll(run, posts, await planPosts(run, posts, parsed));
  } finally {
    lock.release();
  }
}

/** What flags give to all posts alike. */
async function readCommon(
  { io }: Context,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<Record<string, unknown>> {
  const common = await readBody(io, fields, parsed);
  const own = ['title', 'slug', 'contentMd'].filter((name) => name in common);
  if (own.length === 0) return common;
  throw usageError(
    `${own.join(' and ')} cannot be the same for several files`,
    'each file has its own: in front matter, in its first heading, in its name',
  );
}

async function planPosts(run: Run, posts: readonly PostFile[], parsed: ParsedCommand): Promise<Plan[]> {
  if (isOn(parsed, allowDuplicate)) return posts.map(() => ({ do: 'send' }));
  const { context, connection } = run;
  const known = await readKnownPosts(await context.history(), connection).catch((error: unknown) => {
    throw describeHistoryError(error);
  });
  const isUnique = known.refusesTakenSlugs || isOn(parsed, slugsAreUnique);
  let asked: Promise<boolean> | undefined;
  const canSettle = () => {
    // A dry run asks nobody.
    if (isUnique || context.flags.dryRun) return Promise.resolve(isUnique);
    asked ??= describesUniqueSlugs(run);
    return asked;
  };
  const plans: Plan[] = [];
  for (const post of posts) {
    const found = known.find(post.slug, post.body);
    if (found === null) plans.push({ do: 'send' });
    else if (found.record.state === 'applied') plans.push(alreadyThere(post, found));
    else if (found.sentSlug && hasContent(found, post.body) && (await canSettle()))
      plans.push({ do: 'settle', post: found });
    else plans.push(inDoubt(post, found));
  }
  return plans;
}

function alreadyThere(post: PostFile, found: KnownPost): PostResult {
  const same = hasContent(found, post.body);
  return {
    ...resultOf(post, found),
    outcome: same ? 'exists' : 'failed',
    message: same
      ? 'created before'
      : `it was created before with other content, and posts cannot be changed; ${allowDuplicate} sends it all the same`,
    exitCode: same ? exitCodes.done : exitCodes.conflict,
  };
}

function inDoubt(post: PostFile, found: KnownPost): PostResult {
  const changed = found.sentSlug && !hasContent(found, post.body);
  return {
    ...resultOf(post, found),
    outcome: 'unknown',
    message: changed
      ? `it was sent before with other content, and the answer was lost (${found.record.id}): look in the store`
      : `it was sent before, and the answer was lost (${found.record.id}): look in the store, or use ${slugsAreUnique} where the service refuses a slug that is taken`,
    exitCode: exitCodes.unknown,
  };
}

function resultOf({ file, slug }: PostFile, found: KnownPost | null) {
  const operationId = found?.record.id ?? null;
  const requestId = found?.record.answer?.requestId ?? null;
  return { file, slug, id: found?.id ?? null, operationId, requestId };
}

async function createAll(run: Run, posts: readonly PostFile[], plans: readonly Plan[]): Promise<ExitCode> {
  const { context } = run;
  const { signal } = context.io;
  const results = new Map<PostFile, PostResult>();
  const grace = withGrace(context);
  const progress = startProgress(context, posts.length, 'posts');
  let stop: CliError | null = null;
  let unknownInARow = 0;
  const finish = (post: PostFile, result: PostResult) => {
    results.set(post, result);
    report(context, progress, result);
  };
  try {
    await forEachAtOnce(
      posts,
      postsAtOnce,
      async (post, index) => {
        const plan = plans[index];
        if (plan === undefined || 'outcome' in plan) {
          if (plan !== undefined) finish(post, plan);
          return;
        }
        try {
          finish(post, await createOne({ ...run, context: grace.context, body: post.body }, post, plan));
          unknownInARow = 0;
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const { exitCode } = error.details;
          if (exitCode === exitCodes.unknown) unknownInARow += 1;
          finish(post, failed(post, error));
          const isOwn = concernsOneItem(exitCode) || exitCode === exitCodes.unknown;
          if (!isOwn || unknownInARow >= mostUnknownInARow) stop ??= error;
        }
      },
      () => stop !== null || signal.aborted,
    );
  } finally {
    grace.dispose();
    progress.end();
  }
  if (signal.aborted) stop ??= cancelledError();
  const all = posts.map((post) => results.get(post) ?? notSent(post));
  if (context.flags.json) {
    const documents = all.map(({ exitCode: _, ...result }) => result);
    context.print(renderJson(JSON.stringify(selectFrom(documents, context.flags)), context.out));
  }
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
    progress.step(printable(parts.filter(Boolean).join('  ').replaceAll('\n', ' ')));
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
  if (context.flags.json) context.print(renderJson(JSON.stringify(rows), context.out));
  else
    for (const { file, slug, plan, body } of rows) {
      context.print(printable([plan, file, slug, String(body.title)].join('  ')));
    }
  context.notice('dry run: nothing was sent');
}
