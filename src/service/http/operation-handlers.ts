import type * as z from 'zod';
import { buildOpenApi } from '../../contract/openapi.ts';
import type { BodySchemas } from '../../contract/openapi-schemas.ts';
import type { OperationId } from '../../contract/operations.ts';
import { type Precondition, versionOf } from '../model/canonical-json.ts';
import { settingsInput } from '../model/settings-document.ts';
import { storePatch } from '../model/store-fields.ts';
import { createBackup, newBackup, newRestore, restoreBackup } from '../operations/backups/backups.ts';
import { decideDispute, newDecision, newDispute, openDispute, showDispute } from '../operations/disputes.ts';
import { addEndpoint, newEndpoint } from '../operations/endpoints.ts';
import { type Exclusion, excludeOthers } from '../operations/exclusive-access.ts';
import { applyOnce, type KeptAnswer, type LongWork, replay } from '../operations/idempotency.ts';
import { markRead, readMark } from '../operations/notifications.ts';
import { createPost, newPost } from '../operations/posts.ts';
import { appealReclaim, newAppeal } from '../operations/reclaims.ts';
import { saveSettings, showSettings } from '../operations/settings.ts';
import { updateStore } from '../operations/stores.ts';
import type { Work } from '../operations/unit-of-work.ts';
import type { LongChange } from '../storage/core/storage.ts';

const kibibyte = 1024;

/** A request with a valid body. */
interface OperationRequest<Input> extends Omit<LongChange, 'db'> {
  readonly input: Input;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  /** From If-Match. */
  readonly isCurrent: Precondition;
}

export interface Reply {
  readonly status: number;
  readonly body: object;
  /** The body as JSON, if it is known. */
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** More is left to do: the request is run again, in a transaction of its own. */
  readonly isStep?: boolean;
}

/** How the service answers an operation. */
export interface Handler<Input = unknown> {
  /** Schema of the body, null without a body. */
  readonly input: z.ZodType<Input> | null;
  readonly maxBodyBytes: number;
  /** It reads or writes a whole store, so other changes must not wait for it. */
  readonly isLong?: boolean;
  /** Several may run at the same time in one transaction, because none reads what another writes. */
  readonly isIndependent?: boolean;
  run(work: Work, request: OperationRequest<Input>): Promise<Reply>;
}

export const handlers: Record<OperationId, Handler> = {
  'store.update': change(storePatch, async (work, { input, isCurrent }) =>
    versioned(await updateStore(work, input, isCurrent)),
  ),
  'blog.create': {
    ...change(newPost, async (work, { input }) => {
      const post = await createPost(work, input);
      const location = `/v1/stores/${work.storeId}/blog/posts/${post.id}`;
      return { status: 201, body: post, headers: { Location: location } };
    }),
    maxBodyBytes: 1024 * kibibyte,
    isIndependent: true,
  },
  'disputes.decide': {
    ...change(newDecision, async (work, { targetId, input }) =>
      ok(await decideDispute(work, targetId, input)),
    ),
    isIndependent: true,
  },
  'settings.show': handler(null, async (work) => versioned(await showSettings(work))),
  'settings.save': change(settingsInput, async (work, { input, isCurrent }) =>
    versioned(await saveSettings(work, input, isCurrent)),
  ),
  'disputes.open': {
    ...handler(
      newDispute,
      once('disputes.open', 'acquireChange', async (work, { input }) =>
        created(await openDispute(work, input)),
      ),
    ),
    isIndependent: true,
  },
  'disputes.show': handler(null, async (work, { targetId }) => ok(await showDispute(work, targetId))),
  'backup.create': {
    ...handler(
      newBackup,
      onceInSteps('backup.create', 'acquireChange', created, (work, { input }) => createBackup(work, input)),
    ),
    isLong: true,
  },
  'backup.restore': {
    ...handler(
      newRestore,
      onceInSteps('backup.restore', 'acquireRestore', ok, (work, { targetId, input }) =>
        restoreBackup(work, targetId, input),
      ),
    ),
    isLong: true,
  },
  'reclaim.appeal': change(newAppeal, async (work, { targetId, input }) => {
    const { isNew, appeal } = await appealReclaim(work, targetId, input);
    return isNew ? created(appeal) : ok(appeal);
  }),
  'notify.add-endpoint': change(newEndpoint, async (work, { input }) =>
    created(await addEndpoint(work, input)),
  ),
  'notify.mark-read': {
    ...change(readMark, async (work, { input }) => {
      const isDone = await markRead(work, input);
      return { ...ok({ ok: true }), isStep: !isDone };
    }),
    isIndependent: true,
  },
};

function handler<Input>(input: z.ZodType<Input> | null, run: Handler<Input>['run']): Handler<Input> {
  return { input, run, maxBodyBytes: 64 * kibibyte };
}

/** For operations that change something: one at a time per store. */
function change<Input>(input: z.ZodType<Input>, run: Handler<Input>['run']): Handler<Input> {
  return handler(input, async (work, request) => {
    await excludeOthers(request.locks, 'acquireChange');
    return run(work, request);
  });
}

/** For operations with an idempotency key: the same request again gets the first answer. */
function once<Input extends { readonly idempotencyKey: string }>(
  operation: OperationId,
  exclusion: Exclusion,
  run: Handler<Input>['run'],
): Handler<Input>['run'] {
  return async (work, request) => {
    const { targetId, input, locks } = request;
    const keyed = { operation, targetId, key: input.idempotencyKey, input, locks, exclusion };
    return kept(await applyOnce(work, keyed, () => run(work, request)));
  };
}

/** The same for a long operation, which ends with `work.finish`. `reply` makes the reply of the answer. */
function onceInSteps<Input extends { readonly idempotencyKey: string }>(
  operation: OperationId,
  exclusion: Exclusion,
  reply: (body: object) => Reply,
  run: (work: LongWork, request: OperationRequest<Input>) => Promise<KeptAnswer>,
): Handler<Input>['run'] {
  return async (work, request) => {
    const { targetId, input, locks, isInSteps, endSnapshot, save, finish } = request;
    const keyed = { operation, targetId, key: input.idempotencyKey, input, locks, exclusion };
    const first = await replay(work, keyed);
    if (first !== undefined) return kept(first);
    await excludeOthers(locks, exclusion);
    const long: LongWork = {
      ...work,
      ...{ isInSteps, endSnapshot, save },
      finish: (answer) =>
        finish((db, finalLocks, isFresh) => {
          const final = { ...work, db };
          return applyOnce(final, { ...keyed, locks: finalLocks }, async () =>
            reply(await answer(final, isFresh)),
          );
        }),
    };
    return kept(await run(long, request));
  };
}

function kept({ status, body, text, replayed }: KeptAnswer): Reply {
  return { status, body, text, headers: replayed ? { 'Idempotency-Replayed': 'true' } : undefined };
}

export function ok(body: object): Reply {
  return { status: 200, body };
}

function created(body: object): Reply {
  return { status: 201, body };
}

/** With an ETag for If-Match. */
function versioned(body: object): Reply {
  return { status: 200, body, headers: { ETag: `"${versionOf(body)}"` } };
}

/** The OpenAPI description of this service, with the limits that it enforces. `version` is that of the program. */
export function describeService(version: string): object {
  const bodies = Object.entries(handlers).map(([id, { input }]) => [id, input]);
  return buildOpenApi(version, Object.fromEntries(bodies) as BodySchemas);
}
