import { sha256 } from '../../base/sha256.ts';
import type { OperationId } from '../../contract/operations.ts';
import type { Precondition } from '../operations/unit-of-work.ts';
import type { Storage } from '../storage/core/storage.ts';
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

export function createChanges(storage: Storage): ApplyChange {
  return ({ operation, storeId, targetId, input, ifMatch, actor, now, traceparent }) => {
    const isCurrent = parseIfMatch(ifMatch);
    return storage
      .forStore(storeId)
      .change((db) =>
        handlers[operation].run({ db, storeId, actor, now, traceparent }, { input, targetId, isCurrent }),
      );
  };
}

/** Of a representation, given as JSON. What is stored determines its text, so equal documents have equal tags. */
export function entityTagOf(text: string): string {
  return `"${sha256(text).slice(0, 32)}"`;
}

/** Reads If-Match (RFC 9110, section 13.1.1): no header, `*`, or a list of strong entity tags. */
function parseIfMatch(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = new Set(header.split(',').map((tag) => tag.trim()));
  return (document) => tags.has(entityTagOf(JSON.stringify(document)));
}
