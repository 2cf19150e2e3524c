import type * as z from 'zod';
import { buildOpenApi } from '../../contract/openapi/openapi.ts';
import type { ChangeId } from '../../contract/operations/operations.ts';
import { tagOfContent } from '../model/entity-tag.ts';
import { settingsInput } from '../model/settings-document.ts';
import { storePatch } from '../model/store-fields.ts';
import { createBackup, newBackup, newRestore, restoreBackup } from '../operations/backups/backups.ts';
import { decideDispute, newDecision, newDispute, openDispute } from '../operations/disputes.ts';
import { addEndpoint, newEndpoint } from '../operations/endpoints.ts';
import { applyOnce, type OperationResponse } from '../operations/idempotency.ts';
import { markRead, readMark } from '../operations/notifications.ts';
import { createPost, newPost, withContent } from '../operations/posts.ts';
import { appealReclaim, newAppeal } from '../operations/reclaims.ts';
import { saveSettings } from '../operations/settings.ts';
import { updateStore } from '../operations/stores.ts';
import type { Precondition, Work } from '../operations/unit-of-work.ts';

const kibibyte = 1024;
const maxBodyBytes = 64 * kibibyte;

/** A request with a valid body. */
interface OperationRequest<Input> {
  readonly input: Input;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  /** From If-Match. */
  readonly isCurrent: Precondition;
}

/** How the service answers an operation that changes something. */
export interface Handler<Input = unknown> {
  /** Schema of the body. */
  readonly input: z.ZodType<Input>;
  readonly maxBodyBytes: number;
  /** In a change of the store. */
  run(work: Work, request: OperationRequest<Input>): Promise<OperationResponse>;
  /** Adds to the body what it has left out because the request says it: that is not kept under an idempotency key. */
  complete?(body: string, input: Input): string;
}

export const handlers: Record<ChangeId, Handler> = {
  'store.update': tagged(storePatch, (work, { input, isCurrent }) => updateStore(work, input, isCurrent)),
  'blog.create': {
    input: newPost,
    maxBodyBytes: 1024 * kibibyte,
    async run(work, { input }) {
      const post = await createPost(work, input);
      const location = `/v1/stores/${work.storeId}/blog/posts/${post.id}`;
      return { ...jsonResponse(201, { ...post, contentMd: null }), headers: { Location: location } };
    },
    complete: withContent,
  } satisfies Handler<z.output<typeof newPost>>,
  'disputes.decide': handler(newDecision, (work, { targetId, input }) =>
    decideDispute(work, targetId, input),
  ),
  'settings.save': tagged(settingsInput, async (work, { input, isCurrent }) => ({
    document: await saveSettings(work, input, isCurrent),
  })),
  'disputes.open': once('disputes.open', newDispute, 201, (work, { input }) => openDispute(work, input)),
  'backup.create': once('backup.create', newBackup, 201, (work, { input }) => createBackup(work, input)),
  'backup.restore': once('backup.restore', newRestore, 200, (work, { targetId, input }) =>
    restoreBackup(work, targetId, input),
  ),
  'reclaim.appeal': {
    input: newAppeal,
    maxBodyBytes,
    async run(work, { targetId, input }) {
      const { isNew, appeal } = await appealReclaim(work, targetId, input);
      return jsonResponse(isNew ? 201 : 200, appeal);
    },
  } satisfies Handler<z.output<typeof newAppeal>>,
  'notify.add-endpoint': handler(newEndpoint, (work, { input }) => addEndpoint(work, input), 201),
  'notify.mark-read': handler(readMark, (work, { input }) => markRead(work, input)),
};

type Rules<Input> = (work: Work, request: OperationRequest<Input>) => Promise<object>;

function handler<Input>(input: z.ZodType<Input>, rules: Rules<Input>, status = 200): Handler<Input> {
  return {
    input,
    maxBodyBytes,
    run: async (work, request) => jsonResponse(status, await rules(work, request)),
  };
}

/** For what is `versioned`: answers with an ETag, which is that of the content unless the rules give another. */
function tagged<Input>(
  input: z.ZodType<Input>,
  rules: (
    work: Work,
    request: OperationRequest<Input>,
  ) => Promise<{ readonly document: object; readonly tag?: string }>,
): Handler<Input> {
  return {
    input,
    maxBodyBytes,
    async run(work, request) {
      const { document, tag } = await rules(work, request);
      const { status, body } = jsonResponse(200, document);
      return { status, body, headers: { ETag: tag ?? tagOfContent(body) } };
    },
  };
}

/** For operations with an idempotency key in the body: the same request again gets the first response. */
function once<Input extends { readonly idempotencyKey: string }>(
  operation: ChangeId,
  input: z.ZodType<Input>,
  status: number,
  rules: Rules<Input>,
): Handler<Input> {
  const { run, ...rest } = handler(input, rules, status);
  return {
    ...rest,
    run(work, request) {
      const { idempotencyKey: key, ...content } = request.input;
      const keyed = { operation, targetId: request.targetId, key, content };
      return applyOnce(work, keyed, () => run(work, request));
    },
  };
}

export function jsonResponse(status: number, body: object): OperationResponse {
  return { status, body: JSON.stringify(body) };
}

/** The OpenAPI description of this service, with the limits that it enforces. `version` is the program's. */
export function describeService(version: string): object {
  const bodies = Object.entries(handlers).map(([id, { input }]) => [id, input]);
  return buildOpenApi(version, Object.fromEntries(bodies));
}
