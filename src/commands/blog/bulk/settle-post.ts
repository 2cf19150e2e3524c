import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { getPath, textAt } from '../../../cli/core/field-path.ts';
import { describeHistoryError } from '../../../cli/operation/run/history-error.ts';
import { outcomeError } from '../../../cli/operation/run/outcome-error.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { sendOptions } from '../../../cli/operation/run/send.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { History } from '../../../history/history.ts';
import { lockName, mayHaveBeenApplied } from '../../../history/records/record.ts';
import { resumeRecord } from '../../../history/sending/resume.ts';
import { sendRecord } from '../../../history/sending/send.ts';
import type { KnownPost } from './known-posts.ts';

/*
 * A post whose answer was lost can neither be read back nor simply be sent again: creating posts has no idempotency key,
 * and the service has no list of posts. If the service refuses taken slugs, the slug works as a key: the same request
 * creates a missing post (2xx) and is refused if the post exists (`slug_taken`). Either way there is exactly one post.
 *
 * A service that accepts taken slugs would create a second post. The contract does not say, so posts are sent again only
 * with evidence: the service's own OpenAPI description says so, or it refused a taken slug of this store before. Otherwise
 * they stay unknown.
 */

/** Property of a field in an OpenAPI description: its value is unique within the store. */
const uniqueMark = 'x-unique';

/**
 * Whether the service's OpenAPI description says that it refuses taken slugs. Throws exit 10 if the service does not answer:
 * then sending more posts would only make more outcomes unknown.
 */
export async function describesUniqueSlugs({ target, ui: { context } }: Run): Promise<boolean> {
  const outcome = await target.client.send(
    { method: 'GET', path: '/openapi.json', body: null, class: 'read' },
    sendOptions(context),
  );
  if (outcome.kind === 'not_sent' || (outcome.kind === 'unknown' && outcome.status === null)) {
    const { details } = outcomeError(context, outcome);
    if (details.exitCode === exitCodes.cancelled) throw new CliError(details);
    throw new CliError({
      ...details,
      exitCode: exitCodes.unknown,
      outcome: 'unknown',
      message: `cannot check the posts that were sent earlier: ${details.message}`,
      hint: 'nothing more was sent; run the same command again when the service answers',
    });
  }
  if (outcome.kind !== 'applied') return false;
  const slug = ['requestBody', 'content', 'application/json', 'schema', 'properties', 'slug', uniqueMark];
  return getPath(outcome.body, ['paths', createBlogPost.path, 'post', ...slug]) === true;
}

/** The result of sending again. `id` is null if the post existed already: the refusal does not name it. */
export interface Settled {
  readonly created: boolean;
  readonly id: string | null;
  readonly operationId: string;
  readonly requestId: string | null;
}

/**
 * Sends the stored bytes of a post with an unknown outcome again, under the lock of its record, and records the result.
 * Only for a service that refuses taken slugs, and a request with a slug. Throws if the outcome is still unknown or the
 * post was refused for another reason.
 */
export async function settleBySlug(run: Run, post: KnownPost): Promise<Settled> {
  const {
    target,
    ui: { context, fields },
  } = run;
  try {
    const history = await context.history();
    return await history.withLock(
      lockName(post.record),
      async (lock) => {
        const record = await history.get(post.record.id);
        // Another process may have settled it while this one waited for the lock.
        if (!mayHaveBeenApplied(record))
          return { created: false, id: null, operationId: record.id, requestId: null };
        const options = {
          ...sendOptions(context),
          history: { ...history, update: updateSettled(history) },
          client: target.client,
          operation: createBlogPost,
          inBatch: true,
        };
        const { outcome, record: after } = await sendRecord(options, lock, record);
        const { requestId } = outcome;
        if (after.state === 'applied') context.applied.push(after);
        if (outcome.kind === 'applied') {
          return { created: true, id: textAt(outcome.body, ['id']), operationId: after.id, requestId };
        }
        if (after.state === 'applied') return { created: false, id: null, operationId: after.id, requestId };
        throw outcomeError(context, outcome, {
          class: record.class,
          fields,
          recordId: record.id,
          profile: target.profile,
          baseUrl: target.baseUrl,
        });
      },
      { signal: context.io.signal },
    );
  } catch (error) {
    throw describeHistoryError(error);
  }
}

/** Records `slug_taken` as applied in the same write: a crash in between would lose that the outcome was unknown. */
function updateSettled(history: History): History['update'] {
  return (record, patch) => {
    const { state, answer } = patch;
    if (state !== 'unknown' || answer?.problem?.code !== 'slug_taken') return history.update(record, patch);
    const proof = { ...answer, settledByReading: true };
    return history.update(record, { ...patch, state: 'applied', failure: null, answer: proof });
  };
}

/**
 * Closes the records of posts that a killed run recorded but never sent. This run sends them under new records, so the
 * old ones would stay open forever.
 */
export async function closeUnsent({ target, ui: { context } }: Run): Promise<void> {
  const { origin, storeId, client } = target;
  const history = await context.history();
  const query = { operation: createBlogPost.id, origin, storeId, state: 'prepared' } as const;
  for (const record of (await history.list(query)).records) {
    await resumeRecord({ ...sendOptions(context), history, client, record, origin, storeId });
  }
}
