import { keyVariable } from '../../../cli/config/connection-settings.ts';
import { getPath } from '../../../cli/core/field-path.ts';
import { describeHistoryError } from '../../../cli/operation/run/history-error.ts';
import { outcomeError } from '../../../cli/operation/run/outcome-error.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { sendOptions } from '../../../cli/operation/run/send.ts';
import type { Client } from '../../../client/client.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import type { History } from '../../../history/history.ts';
import { lockName, mayHaveBeenApplied } from '../../../history/records/record.ts';
import { resumeRecord } from '../../../history/sending/resume.ts';
import { sendRecord } from '../../../history/sending/send.ts';
import type { KnownPost } from './known-posts.ts';

/*
 * A post whose answer was lost can neither be read back nor be sent again blindly: creating posts has no idempotency
 * key, and there is no list of posts. But a request that carries a slug has something like a key, provided that the
 * service refuses a slug that is taken: sent again with the same bytes, it makes the post where it is missing (2xx), and
 * is refused where the post is there (`slug_taken`). Either way there is exactly one.
 *
 * A service that does not refuse taken slugs would make a second post. The contract says nothing about it, so the posts
 * are sent again only with evidence: the service says so in its own OpenAPI description, or has refused a taken slug of
 * this store before, or the user says so. Without, they stay what they are: unknown.
 */

/** Property of a field in the OpenAPI description of a service: no two objects of the store have the same value. */
export const uniqueMark = 'x-unique';

/** Whether the service says, in the description of itself, that it refuses a slug that is taken. */
export async function describesUniqueSlugs({ target, ui: { context } }: Run): Promise<boolean> {
  const outcome = await target.client.send(
    { method: 'GET', path: '/openapi.json', body: null, class: 'read' },
    sendOptions(context),
  );
  if (outcome.kind !== 'applied') return false;
  const slug = ['requestBody', 'content', 'application/json', 'schema', 'properties', 'slug', uniqueMark];
  return getPath(outcome.body, ['paths', createBlogPost.path, 'post', ...slug]) === true;
}

/** What sending again has shown. `id` is null where the post was there already: the refusal does not name it. */
export interface Settled {
  readonly created: boolean;
  readonly id: string | null;
  readonly operationId: string;
  readonly requestId: string | null;
}

/**
 * Sends the stored bytes of a post in doubt once more, under the lock of its record, and writes down what that shows.
 * Only for a service that refuses taken slugs, and a request that carried one. Throws the user's error where the post is
 * still in doubt or was refused for another reason.
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
        // Another process may have settled it while this one waited.
        if (!mayHaveBeenApplied(record))
          return { created: false, id: null, operationId: record.id, requestId: null };
        const options = {
          ...sendOptions(context),
          history: { ...history, update: updateSettled(history) },
          client: refusingInWords(target.client),
          operation: createBlogPost,
          retryRateLimited: true,
        };
        const { outcome, record: after } = await sendRecord(options, lock, record);
        const { requestId } = outcome;
        if (outcome.kind === 'applied') {
          const id = getPath(outcome.body, ['id']);
          return { created: true, id: typeof id === 'string' ? id : null, operationId: after.id, requestId };
        }
        if (after.state === 'applied') return { created: false, id: null, operationId: after.id, requestId };
        throw outcomeError(outcome, {
          class: record.class,
          fields,
          recordId: record.id,
          keyVariable: keyVariable(context.io.env),
          now: context.now(),
        });
      },
      { signal: context.io.signal },
    );
  } catch (error) {
    throw describeHistoryError(error);
  }
}

/** A refusal because the slug is taken is written down as what it shows, at once: in between, the doubt would be lost. */
function updateSettled(history: History): History['update'] {
  return (record, patch) => {
    const { state, answer } = patch;
    if (state !== 'rejected' || answer?.problem?.code !== 'slug_taken') return history.update(record, patch);
    return history.update(record, {
      ...patch,
      state: 'applied',
      answer: { ...answer, settledByReading: true },
    });
  };
}

/** A conflict that does not say which one, as when its answer was cut off, leaves the doubt as it was. */
function refusingInWords(client: Client): Client {
  return {
    ...client,
    async send(request, input) {
      const outcome = await client.send(request, input);
      if (outcome.kind !== 'rejected' || outcome.status !== 409 || outcome.problem.code !== null)
        return outcome;
      const failure = {
        code: 'connection_lost',
        message: 'the service does not say what is in conflict',
      } as const;
      return { ...outcome, kind: 'unknown', problem: null, failure };
    },
  };
}

/**
 * Ends the records of posts that a killed run had written down and not sent: they are sent anew now, and would otherwise
 * stay open for ever.
 */
export async function closeUnsent({ target, ui: { context } }: Run): Promise<void> {
  const { origin, storeId, client } = target;
  const history = await context.history();
  const query = { operation: createBlogPost.id, origin, storeId, state: 'prepared' } as const;
  for (const record of (await history.list(query)).records) {
    await resumeRecord({ ...sendOptions(context), history, client, record, origin, storeId });
  }
}
