import type * as z from 'zod';
import { buildOpenApi } from '../../contract/openapi.ts';
import type { OperationId } from '../../contract/operations.ts';
import { settingsInput } from '../model/settings-document.ts';
import { storePatch } from '../model/store-fields.ts';
import { createBackup, newBackup, newRestore, restoreBackup } from '../operations/backups/backups.ts';
import { decideDispute, newDecision, newDispute, openDispute, showDispute } from '../operations/disputes.ts';
import { addEndpoint, newEndpoint } from '../operations/endpoints.ts';
import { type Answer, applyOnce } from '../operations/idempotency.ts';
import { markRead, readMark } from '../operations/notifications.ts';
import { createPost, newPost } from '../operations/posts.ts';
import { appealReclaim, newAppeal } from '../operations/reclaims.ts';
import { saveSettings, showSettings } from '../operations/settings.ts';
import { updateStore } from '../operations/stores.ts';
import type { Precondition, Work } from '../operations/unit-of-work.ts';

const kibibyte = 1024;

/** A request with a valid body. */
interface OperationRequest<Input> {
  readonly input: Input;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  /** From If-Match. */
  readonly isCurrent: Precondition;
}

export interface Reply extends Answer {
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How the service answers an operation. */
export interface Handler<Input = unknown> {
  /** Schema of the body, null without a body. */
  readonly input: z.ZodType<Input> | null;
  readonly maxBodyBytes: number;
  /** Operations that change something run in a change of the store. */
  run(work: Work, request: OperationRequest<Input>): Promise<Reply>;
}

export const handlers: Record<OperationId, Handler> = {
  'store.update': handler(storePatch, async (work, { input, isCurrent }) =>
    ok(await updateStore(work, input, isCurrent)),
  ),
  'blog.create': {
    ...handler(newPost, async (work, { input }) => {
      const post = await createPost(work, input);
      const location = `/v1/stores/${work.storeId}/blog/posts/${post.id}`;
      return { status: 201, body: post, headers: { Location: location } };
    }),
    maxBodyBytes: 1024 * kibibyte,
  },
  'disputes.decide': handler(newDecision, async (work, { targetId, input }) =>
    ok(await decideDispute(work, targetId, input)),
  ),
  'settings.show': handler(null, async (work) => ok(await showSettings(work))),
  'settings.save': handler(settingsInput, async (work, { input, isCurrent }) =>
    ok(await saveSettings(work, input, isCurrent)),
  ),
  'disputes.open': once('disputes.open', newDispute, async (work, { input }) =>
    created(await openDispute(work, input)),
  ),
  'disputes.show': handler(null, async (work, { targetId }) => ok(await showDispute(work, targetId))),
  'backup.create': once('backup.create', newBackup, async (work, { input }) =>
    created(await createBackup(work, input)),
  ),
  'backup.restore': once('backup.restore', newRestore, async (work, { targetId, input }) =>
    ok(await restoreBackup(work, targetId, input)),
  ),
  'reclaim.appeal': handler(newAppeal, async (work, { targetId, input }) => {
    const { isNew, appeal } = await appealReclaim(work, targetId, input);
    return isNew ? created(appeal) : ok(appeal);
  }),
  'notify.add-endpoint': handler(newEndpoint, async (work, { input }) =>
    created(await addEndpoint(work, input)),
  ),
  'notify.mark-read': handler(readMark, async (work, { input }) => {
    await markRead(work, input);
    return ok({ ok: true });
  }),
};

function handler<Input>(input: z.ZodType<Input> | null, run: Handler<Input>['run']): Handler<Input> {
  return { input, run, maxBodyBytes: 64 * kibibyte };
}

/** For operations with an idempotency key: the same request again gets the first answer. */
function once<Input extends { readonly idempotencyKey: string }>(
  operation: OperationId,
  schema: z.ZodType<Input>,
  run: Handler<Input>['run'],
): Handler<Input> {
  return handler(schema, async (work, request) => {
    const { targetId, input } = request;
    const effect = () => run(work, request);
    const { replayed, ...reply } = await applyOnce(work, input, { operation, targetId }, effect);
    return { ...reply, ...(replayed && { headers: { 'Idempotency-Replayed': 'true' } }) };
  });
}

export function ok(body: object): Reply {
  return { status: 200, body };
}

function created(body: object): Reply {
  return { status: 201, body };
}

/** The OpenAPI description of this service, with the limits that it enforces. `version` is that of the program. */
export function describeService(version: string): object {
  const bodies = Object.entries(handlers).map(([id, { input }]) => [id, input]);
  return buildOpenApi(version, Object.fromEntries(bodies));
}
