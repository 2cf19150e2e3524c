import type { LongChange, Tenant } from '../storage/core/storage.ts';
import type { KeptAnswer } from './idempotency.ts';

/** What one request does, in one transaction and to one store. */
export interface Work extends Tenant {
  /** Id of the API key of the request. */
  readonly actor: string;
  /** Epoch milliseconds. A request has one time throughout. */
  readonly now: number;
}

/** What a request does that reads or replaces a whole store. Its `db` reads a snapshot. */
export interface LongWork extends Work {
  readonly save: LongChange['save'];
  /** Makes the answer in one transaction. Nothing has changed the store since the snapshot if `isFresh`. */
  finish(answer: (work: Work, isFresh: boolean) => Promise<object>): Promise<KeptAnswer>;
}
