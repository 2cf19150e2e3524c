import type { Tenant } from '../storage/core/storage.ts';

/** What one request does to one store: a change in one transaction. */
export interface Work extends Tenant {
  /** Id of the API key of the request. */
  readonly actor: string;
  /** Epoch milliseconds. A request has one time throughout. */
  readonly now: number;
  /** Of the request (W3C Trace Context). */
  readonly traceparent?: string | undefined;
}

/** Whether If-Match allows a change of what has this tag now. It is asked for the tag only if it has to know it. */
export type Precondition = (tag: () => string) => boolean;
