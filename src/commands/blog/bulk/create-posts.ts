import { asObject, textAt } from '../../../base/json.ts';
import { sha256 } from '../../../base/sha256.ts';
import {
  itemResultOf,
  openHistoryBatch,
  settleEarlier,
  startRun,
} from '../../../cli/batch/change-in-batch.ts';
import { endBatch } from '../../../cli/batch/end-batch.ts';
import { type ItemResult, knownResult, makeResult, resultDocument } from '../../../cli/batch/item-result.ts';
import { startProgress } from '../../../cli/batch/progress.ts';
import { runBatch } from '../../../cli/batch/run-batch.ts';
import { printPlan, showPlan } from '../../../cli/batch/show-plan.ts';
import type { CommandResult } from '../../../cli/command/command-definition.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { cancelledError, type Step, usageError } from '../../../cli/core/errors.ts';
import { isOn, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import type { FieldFlag } from '../../../cli/input/field-flags.ts';
import { checkBody, readBody } from '../../../cli/input/request-body.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { announce } from '../../../cli/operation/send/announce.ts';
import { openOutputFile } from '../../../cli/output/output-file.ts';
import { agrees } from '../../../cli/prompts/ask-or-fail.ts';
import type { Problem } from '../../../client/outcome/outcome.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { HistoryBatch } from '../../../history/changes/batch.ts';
import type { Recorded } from '../../../history/changes/change-result.ts';
import { RefusedError } from '../../../history/record/errors.ts';
import {
  type HistoryRecord,
  isInDoubt,
  receivedBody,
  sentBody,
} from '../../../history/record/history-record.ts';
import { heldNames } from '../post/map-fields.ts';
import { leaveOut, skipInvalid } from './file-options.ts';
import {
  describePosts,
  inDoubt,
  invalidFile,
  type PlannedPost,
  placeOf,
  planPosts,
  planWord,
  postWords,
} from './plan.ts';
import { type PostFile, readPostFiles } from './post-files.ts';
import { readMapping } from './read-mapping.ts';
import { refuseInvalid, refuseOnlyDrafts, wholeReason } from './refuse.ts';

/** The files, and the flags for all of them. */
interface PostsInput {
  readonly fields: readonly FieldFlag[];
  readonly files: readonly string[];
  /** What the user should know of the files that the patterns name, or null. */
  readonly note: string | null;
  /** Creates posts even if the history contains them. */
  readonly allowsDuplicates: boolean;
}

/**
 * Creates a post for each file, also for a single one. All files are validated before anything is sent. Run again, it
 * continues: posts that exist according to the history are skipped, and those in doubt are sent again where the service applies
 * their keys once.
 */
export async function createPosts(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  { fields, files, note, allowsDuplicates }: PostsInput,
): Promise<CommandResult> {
  const { body: common } = await readBody(session, createBlogPost, fields, parsed);
  checkBody(createBlogPost, fields, common);
  const own = files.length === 1 ? [] : ['title', 'slug', 'contentMd'].filter((name) => name in common);
  if (own.length > 0) {
    throw usageError(
      `${own.join(' and ')} cannot be set for several files at once`,
      'set it in each file: front matter, first heading or file name',
    );
  }
  const mapping = readMapping(parsed, common, Date.now());
  const reading = startProgress(ui, files.length, 'files read', { isFast: true });
  const posts = await readPostFiles(session, files, mapping, reading.step).finally(reading.end);
  const history = await session.history();
  const skipsInvalid = isOn(parsed, skipInvalid);
  const planned = planPosts(history, posts, { allowsDuplicates, skipsInvalid });
  if (session.flags.dryRun)
    return printPlan(
      ui,
      describePosts(planned, { note, timeZone: mapping.timeZone }),
      planned.map(documentOfPlan),
    );
  const invalid = planned.filter((one) => knownResult(one)?.code === invalidFile);
  if (invalid.length > 0 && !skipsInvalid) {
    openOutputFile(session.io, parsed)?.(JSON.stringify(planned.map(documentOfPlan)));
    throw refuseInvalid(planned, invalid);
  }
  if (!skipsInvalid) refuseOnlyDrafts(planned, common.status);
  const run = await startRun(ui, session, parsed, createBlogPost, fields);
  await announce(run);
  const write = openOutputFile(session.io, parsed);
  const plan = describePosts(planned, { note, timeZone: mapping.timeZone });
  showPlan(ui, plan);
  const question = 'Posts cannot be edited or deleted. Create these posts?';
  // What is public at once cannot be taken back, so Enter alone does not agree to it.
  const isPublic = planned.some(
    (one) => knownResult(one) === null && (one.post.body.status ?? 'draft') !== 'draft',
  );
  if (ui.canAsk && plan.rows.length > 0 && !(await agrees(ui, question, !isPublic))) throw cancelledError();
  await settleEarlier(run, planned);
  let ended: Map<string, HistoryRecord> | null = null;
  const end = await runBatch<PlannedPost>(ui, {
    words: postWords,
    items: planned,
    total: planned.filter((one) => knownResult(one) === null).length,
    atOnce: 'adaptive',
    known: knownResult,
    // An earlier run has sent it, whether this run gets to it or not; it may have ended since the plan was made.
    notReached({ earlier }) {
      ended ??= new Map(
        history
          .snapshot()
          .list({ operation: createBlogPost.id })
          .records.map((one) => [one.id, one]),
      );
      const record = earlier && ended.get(earlier.id);
      if (record?.state === 'applied') return makeResult('exists', { record });
      return record && isInDoubt(record) ? inDoubt(record) : null;
    },
    async open(limits) {
      const batch = await openHistoryBatch(run, limits);
      return {
        async send({ post, plan }) {
          switch (plan.kind) {
            case 'create':
              return create(run, batch, post, allowsDuplicates);
            case 'check':
              return settle(run, batch, post, plan.earlier);
            case 'known':
              return plan.result;
          }
        },
        end: batch.end,
      };
    },
    cells: ({ post }, result) => [placeOf(post), ...describePost(result)],
    id: (_, { record }) => textAt(shownPost(record), ['id']),
  });
  const document = end.ended.map(({ item, result }) => documentOfPost(item.post, result));
  return endBatch(ui, postWords, end, { document, write });
}

async function create(
  run: Run,
  batch: HistoryBatch,
  { body }: PostFile,
  allowsDuplicates: boolean,
): Promise<ItemResult | null> {
  try {
    const recorded = await batch.change({
      operation: createBlogPost,
      body,
      allowDuplicate: allowsDuplicates,
    });
    return recorded && resultOfPost(run, recorded, allowsDuplicates);
  } catch (error) {
    // Another command has created or sent it since the plan was made.
    if (!(error instanceof RefusedError) || error.earlier === null) throw error;
    if (error.reason === 'duplicate') return makeResult('exists', { record: error.earlier });
    return inDoubt(error.earlier);
  }
}

/** A post that the store has already counts as existing, also if another machine created it. */
function resultOfPost(run: Run, recorded: Recorded, allowsDuplicates = false): ItemResult {
  const { record, outcome } = recorded;
  const found = outcome.kind === 'rejected' ? compareExisting(record, outcome.problem) : null;
  const has = { same: 'the store has this post already', other: 'the store has another post with this slug' };
  if (found === 'same' && !allowsDuplicates) return makeResult('exists', { record, message: has.same });
  const result = itemResultOf(run, recorded);
  if (result.code !== 'slug_taken') return { ...result, remedy: [...result.remedy, ...holdBack(outcome)] };
  const remedy = [{ say: 'set another slug in the front matter of a file whose slug is taken' }];
  return { ...result, remedy, ...(found && { message: has[found] }) };
}

/** For a service that does not take a field that comes from the files. */
function holdBack(outcome: Recorded['outcome']): Step[] {
  const refused = outcome.kind === 'rejected' ? outcome.problem.fields : [];
  const field = refused.map(({ path }) => path).find((name) => heldNames.includes(name));
  return field === undefined ? [] : [{ say: `${postWords.fix}, or add ${leaveOut} ${field}` }];
}

/** Whether the post that a refusal shows in the way is the one that was sent; null if it shows none. */
function compareExisting(record: HistoryRecord, { existing }: Problem): 'same' | 'other' | null {
  if (existing === undefined) return null;
  const { title, contentMd } = asObject(sentBody(record));
  const isSame = existing.title === title && existing.contentSha256 === sha256(String(contentMd));
  return isSame ? 'same' : 'other';
}

/** Sends an earlier request again where the service applies its key once: then its outcome is known. */
async function settle(
  run: Run,
  batch: HistoryBatch,
  post: PostFile,
  earlier: HistoryRecord,
): Promise<ItemResult | null> {
  const resumed = await batch.resume(earlier.id);
  if (resumed === null) return null;
  const { record, action } = resumed;
  if (action === 'left_open') {
    const result = inDoubt(record);
    const isUnanswered = resumed.reason === 'not_settled';
    return isUnanswered ? { ...result, remedy: [], reason: 'the service does not answer' } : result;
  }
  // A restore has removed it since, or somebody has marked it as not applied.
  if (action === 'superseded' || (action === 'reported' && resumed.outcome.kind === 'not_sent'))
    return create(run, batch, post, false);
  const { outcome } = resumed;
  return outcome.kind === 'applied' && (action === 'reported' || outcome.replayed)
    ? makeResult('exists', { record, message: 'created by an earlier run, whose response was lost' })
    : resultOfPost(run, resumed);
}

/** Id and status, as far as a response says. */
function describePost({ outcome, record }: ItemResult): string[] {
  if (outcome !== 'applied' && outcome !== 'exists') return [];
  const [id, status] = [['id'], ['status']].map((path) => textAt(shownPost(record), path));
  return [id ?? '-', status ?? ''].filter(Boolean);
}

/** The post as the service has shown it, also where it refused another with the same slug. */
function shownPost(record: HistoryRecord | null): unknown {
  return record?.response?.problem?.existing ?? (record && receivedBody(record));
}

/** The result of a file, as `--json` prints it. */
function documentOfPost(post: PostFile, result: ItemResult) {
  const shown = shownPost(result.record);
  const [shownSlug, id] = [['slug'], ['id']].map((path) => textAt(shown, path));
  return {
    file: post.file,
    slug: shownSlug ?? post.slug,
    id,
    ...resultDocument(result),
    ...whatIsSaid(post),
  };
}

/** What a file would become, as `--dry-run --json` prints it. */
function documentOfPlan(planned: PlannedPost) {
  const { post } = planned;
  return { file: post.file, slug: post.slug, plan: planWord(planned), ...whatIsSaid(post), body: post.body };
}

/** The fields that stay behind, and what is wrong, of each file. */
function whatIsSaid({ leftOut, leftInText, problem }: PostFile) {
  const { line = null, field = null } = problem ?? {};
  return { leftOut, leftInText, ...(problem === null ? {} : { line, field, reason: wholeReason(problem) }) };
}
