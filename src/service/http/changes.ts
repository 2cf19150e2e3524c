import type { OperationId } from '../../contract/operations.ts';
import { ServiceError } from '../model/errors.ts';
import { StorageBusyError } from '../storage/core/errors.ts';
import { createQueue } from '../storage/core/queue.ts';
import { inOneTransaction, type LongWork, type Storage } from '../storage/core/storage.ts';
import { parseIfMatch } from './http-message.ts';
import { handlers, type Reply } from './operation-handlers.ts';

/** A valid request that changes something, as data. */
export interface Change {
  readonly operation: OperationId;
  readonly storeId: string;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
  /** Body that the schema of the operation has accepted. */
  readonly input: unknown;
  /** The header. */
  readonly ifMatch: string | undefined;
  /** Id of the API key. */
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the request (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

/** Applies a change. Resolves when it is on disk, and rejects with an error for `toProblem`. */
export type ApplyChange = (change: Change) => Promise<Reply>;

/** Backups and restores that run at a time: each needs memory, and on PostgreSQL a connection. */
const maxLongChanges = 3;

/** How long they wait for others before they are refused. */
const patienceMs = 5_000;

/** The answer to a busy database says that nothing was changed, which is wrong after the first step. */
function refuseRest(error: unknown): never {
  if (!(error instanceof StorageBusyError)) throw error;
  const detail = 'The change was partly applied. Send the same request again to complete it.';
  throw new ServiceError('busy', detail, { headers: { 'Retry-After': '1' } });
}

/**
 * Applies changes on this thread. Those that go in steps let other changes run between two of them. Of the long ones, each
 * store has one at a time.
 */
export function createChanges(storage: Storage): ApplyChange {
  const ofStore = createQueue(1, patienceMs);
  // The last connection is for others.
  const maxRunning = Math.max(1, Math.min(maxLongChanges, storage.maxConnections - 1));
  const ofAll = createQueue(maxRunning, patienceMs);
  return async ({ operation, storeId, targetId, input, ifMatch, actor, now, traceparent }) => {
    const { writeLong, share } = storage.forStore(storeId);
    const { run, isLong, isIndependent = false } = handlers[operation];
    const isCurrent = parseIfMatch(ifMatch);
    const apply: LongWork<Reply> = ({ db, ...change }) =>
      run({ db, storeId, actor, now, traceparent }, { input, targetId, isCurrent, ...change });
    const long = () => ofStore(storeId, () => ofAll('long', () => writeLong(apply)));
    const step = () => (isLong ? long() : share(inOneTransaction(apply), isIndependent));
    let reply = await step();
    while (reply.isStep) reply = await step().catch(refuseRest);
    return reply;
  };
}
