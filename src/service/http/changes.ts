import type { ChangeId } from '../../contract/operations/operations.ts';
import { problems } from '../../contract/problem.ts';
import { ServiceError } from '../model/errors.ts';
import {
  AppliedBefore,
  applyOnce,
  keepRefusal,
  keptRefusal,
  type OperationResponse,
} from '../operations/idempotency.ts';
import type { Precondition, Work } from '../operations/unit-of-work.ts';
import type { Queries, Storage, TransactionWork } from '../storage/core/storage.ts';
import { handlers } from './operation-handlers.ts';

/** A valid request that changes something, as data. */
export interface Change {
  readonly operation: ChangeId;
  readonly storeId: string;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  /** Body that the schema of the operation has accepted. */
  readonly input: unknown;
  /** The header. */
  readonly ifMatch: string | undefined;
  /** In the header. Operations with a key in their body have none here. */
  readonly idempotencyKey: string | undefined;
  /** Id of the API key. */
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the request (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

/**
 * Applies a change. Resolves when it is on disk, with a response for its handler to complete, and rejects with an error for
 * `toProblem`.
 */
export type ApplyChange = (change: Change) => Promise<OperationResponse>;

export function createChanges(storage: Storage): ApplyChange {
  return async (change) => {
    const { operation, storeId, targetId, input, ifMatch, idempotencyKey, actor, now, traceparent } = change;
    const handler = handlers[operation];
    const request = { input, targetId, isCurrent: parseIfMatch(ifMatch) };
    const inStore = <Result>(change: TransactionWork<Result>) =>
      storage.forStore(storeId).change(change).catch(earlierResponse);
    const workOn = (db: Queries): Work => ({ db, storeId, actor, now, traceparent });
    if (idempotencyKey === undefined) return inStore((db) => handler.run(workOn(db), request));

    const keyed = { operation, targetId, key: idempotencyKey, content: input };
    let refusal: ServiceError | undefined;
    async function runNoting(work: Work): Promise<OperationResponse> {
      try {
        return await handler.run(work, request);
      } catch (error) {
        if (error instanceof ServiceError && problems[error.code].status < 500) refusal = error;
        throw error;
      }
    }
    try {
      return await inStore((db) => applyOnce(workOn(db), keyed, () => runNoting(workOn(db))));
    } catch (error) {
      const refused = refusal;
      if (refused === undefined || error !== refused) throw error;
      // Another transaction, because this one is undone with what the change had begun.
      const other = await inStore((db) => keepRefusal(workOn(db), keyed, refused));
      if (other !== null) return other;
      throw keptRefusal(refused, refused.headers);
    }
  };
}

function earlierResponse(error: unknown): OperationResponse {
  if (error instanceof AppliedBefore) return error.response;
  throw error;
}

/** Reads If-Match (RFC 9110, section 13.1.1): no header, `*`, or a list of strong entity tags. */
function parseIfMatch(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = new Set(header.split(',').map((tag) => tag.trim()));
  return (tag) => tags.has(tag());
}
