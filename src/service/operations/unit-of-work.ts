import type { Tenant, Transactions } from '../storage/core/storage.ts';

/** What one request does to one store: a change in one transaction. */
export interface Work extends Tenant {
  /** Id of the API key of the request. */
  readonly actor: string;
  /** Epoch milliseconds. A request has one time throughout. */
  readonly now: number;
  /** Of the request (W3C Trace Context). */
  readonly traceparent?: string | undefined;
}

/** What one request reads of one store. */
export interface Reading {
  readonly storeId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Of the API key. */
  readonly scopes: readonly string[];
  /** Sees only the data of the store. */
  readonly ofStore: Transactions['read'];
  /** Sees all stores: for what has to be unique among them. */
  readonly ofAll: Transactions['read'];
}

/** Whether If-Match allows a change of what has this tag now. It is asked for the tag only if it has to know it. */
export type Precondition = (tag: () => string) => boolean;
