import type { OperationId } from '../../contract/operations.ts';
import type { Storage } from '../storage/core/storage.ts';
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
}

/** Applies a change. Resolves when it is on disk, and rejects with an error for `toProblem`. */
export type ApplyChange = (change: Change) => Promise<Reply>;

/** Applies changes on this thread. Those that go in steps let other changes run between two of them. */
export function createChanges(storage: Storage): ApplyChange {
  return async ({ operation, storeId, targetId, input, ifMatch, actor, now }) => {
    const { write, share } = storage.forStore(storeId);
    const { run, isLong } = handlers[operation];
    const transact = isLong ? write : share;
    const isCurrent = parseIfMatch(ifMatch);
    for (;;) {
      const reply = await transact((db, locks) =>
        run({ db, storeId, actor, now }, { input, targetId, isCurrent, locks }),
      );
      if (!reply.isStep) return reply;
    }
  };
}
