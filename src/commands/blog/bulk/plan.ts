import { memoize } from '../../../base/memoize.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { isOn, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { allowDuplicate } from './flags.ts';
import { hasContent, type KnownPost, readKnownPosts } from './known-posts.ts';
import type { PostFile } from './post-files.ts';
import { describesUniqueSlugs } from './settle-post.ts';

/** The result of a file, as `--json` prints it. */
export interface PostResult {
  readonly file: string;
  readonly slug: string;
  readonly outcome: 'created' | 'exists' | 'failed' | 'unknown' | 'not_sent';
  /** Id of the post, or null if no answer said it. */
  readonly id: string | null;
  readonly requestId: string | null;
  readonly operationId: string | null;
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** A file, and what to do with it. */
export interface PlannedPost {
  readonly post: PostFile;
  readonly plan: Plan;
}

/** `send` the post, `settle` an earlier attempt, or nothing because the result is already known. */
type Plan = { readonly do: 'send' } | { readonly do: 'settle'; readonly known: KnownPost } | PostResult;

/** Plans each post from the history; asks the service only if a lost answer has to be settled. */
export async function planPosts(
  run: Run,
  posts: readonly PostFile[],
  parsed: ParsedCommand,
): Promise<PlannedPost[]> {
  if (isOn(parsed, allowDuplicate)) return posts.map((post) => ({ post, plan: { do: 'send' } }));
  const { context } = run.ui;
  const known = await readKnownPosts(await context.history(), run.target);
  // A dry run sends nothing.
  const canSettle = memoize(
    async () => known.refusesTakenSlugs || (!context.flags.dryRun && describesUniqueSlugs(run)),
  );
  const planOf = async (post: PostFile): Promise<Plan> => {
    const found = known.find(post.slug, post.body);
    if (found === null) return { do: 'send' };
    if (found.record.state === 'applied') {
      if (!context.flags.dryRun && !found.record.reported) context.applied.push(found.record);
      return alreadyThere(post, found);
    }
    const isSame = found.sentSlug && hasContent(found, post.body);
    return isSame && (await canSettle())
      ? { do: 'settle', known: found }
      : inDoubt(post, found, context.flags.dryRun);
  };
  return Promise.all(posts.map(async (post) => ({ post, plan: await planOf(post) })));
}

function alreadyThere(post: PostFile, found: KnownPost): PostResult {
  const same = hasContent(found, post.body);
  return {
    ...resultOf(post, found),
    outcome: same ? 'exists' : 'failed',
    message: found.maybeGone
      ? `created before a backup was restored; it may be gone. Add ${allowDuplicate} to create it again`
      : same
        ? 'already created'
        : `a post with the slug ${String(post.body.slug)} was already created with different content: set another slug in the front matter`,
    exitCode: same ? exitCodes.done : exitCodes.conflict,
  };
}

function inDoubt(post: PostFile, found: KnownPost, isDryRun: boolean): PostResult {
  const changed = found.sentSlug && !hasContent(found, post.body);
  const next = isDryRun
    ? 'the service is asked without --dry-run'
    : `look at the store's blog; if the post is there, run \`storectl resume ${found.record.id} --mark applied\`, else --mark not-applied`;
  return {
    ...resultOf(post, found),
    outcome: 'unknown',
    message: changed
      ? `sent before with different content, and the response was lost (${found.record.id}): check the store`
      : `sent before, outcome unknown (${found.record.id}): ${next}`,
    exitCode: exitCodes.unknown,
  };
}

export function resultOf({ file, slug }: PostFile, found: KnownPost | null) {
  const operationId = found?.record.id ?? null;
  const requestId = found?.record.answer?.requestId ?? null;
  return { file, slug, id: found?.id ?? null, operationId, requestId };
}
