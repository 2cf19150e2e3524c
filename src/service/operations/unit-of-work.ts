import type { Tenant } from '../storage/core/storage.ts';

/** One request's unit of work: all that it does happens in one transaction, to one store. */
export interface Work extends Tenant {
  /** Id of the API key that asks. */
  readonly actor: string;
  /** Epoch milliseconds. One request has one time, and those that are saved together have the same. */
  readonly now: number;
}
