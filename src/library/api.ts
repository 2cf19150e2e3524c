import type { Outcome } from '../client/outcome/outcome.ts';

// These types are published as they stand here: scripts/library-types.ts puts them into dist/library/client.d.ts.

export interface ClientOptions {
  /** Address of the service, for example `https://api.example.com`. HTTPS except to loopback. */
  readonly baseUrl: string;
  readonly storeId: string;
  readonly apiKey: string;
  /** Records each change before it is sent, see `storectl/history`. Without a history, the client remembers nothing. */
  readonly history?: History | undefined;
  /** Time limit of an operation with all its attempts, in milliseconds above 0; 180 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Called before each wait. `status` is the response's, or null if there was none. */
  readonly onRetry?:
    | ((info: { attempt: number; delayMs: number; status: number | null; reason: string }) => void)
    | undefined;
}

export interface CallOptions {
  /** Ends the operation. A request that was sent by then may have been applied, and the outcome says so. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** The service must still have this ETag. */
  readonly ifMatch?: string | undefined;
  /**
   * The idempotency key of a change: the same key is one effect, if the service applies keys once. By default a new key for each call.
   * Operations with a key in their body take it in their input, too.
   */
  readonly idempotencyKey?: string | undefined;
  /** With a history: send a new request, even if one with the same input is open. */
  readonly fresh?: boolean | undefined;
  /** With a history: send the request although the same was sent before. Otherwise the call throws a RefusedError. */
  readonly allowDuplicate?: boolean | undefined;
}

/** How an operation ended. Only `applied` has a `body`. */
export type Result<Body> = Outcome<Body> & {
  /** The key that the change was sent with, or null for a read. */
  readonly idempotencyKey: string | null;
  /** Its record in the history, or null without one. */
  readonly recordId: string | null;
  /** Warnings of the history, one sentence each. */
  readonly warnings: readonly string[];
};

/** What {@link Client.resume} did about an open change. */
export interface Resumed {
  readonly recordId: string;
  /** For example `backup.create`. */
  readonly operation: string;
  /**
   * `sent`: the change was sent again. `settled`: a read has shown it. `reported`: its outcome was in the history already. `superseded`: a
   * later change replaced it. `left_open`: it is not safe to send it again.
   */
  readonly action: 'sent' | 'settled' | 'reported' | 'superseded' | 'left_open';
  /** Null for `left_open` and `superseded`. */
  readonly outcome: Outcome | null;
  /** Why the change was left open, else null. A person can look at the store, and `mark` the change. */
  readonly reason:
    | 'running'
    | 'too_old'
    | 'needs_yes'
    | 'no_safety_backup'
    | 'later_change'
    | 'not_settled'
    | 'ask_user'
    | 'request_lost'
    | null;
}

/** The history of one store on disk. A change is recorded there before its first byte is sent. The API key never is. */
export interface History {
  /** The changes with their outcomes, newest first. Throws a HistoryError if the history is damaged. */
  list(query?: RecordFilter): Promise<readonly HistoryEntry[]>;
  /**
   * Records what a person found out by looking at the store, about the change in doubt with this id, or about all in doubt of the log with
   * this id. Throws a HistoryError if none of them is in doubt.
   */
  mark(recordId: string, found: 'applied' | 'not-applied'): Promise<readonly HistoryEntry[]>;
  /** Repairs damaged files: keeps a copy of each, and the records that can be read. Until then, changes throw a HistoryError. */
  repair(): Promise<readonly { readonly file: string; readonly copy: string }[]>;
  /** What {@link createClient} sends with. */
  readonly sender: object;
}

export interface RecordFilter {
  readonly operation?: string | undefined;
  readonly state?: HistoryEntry['state'] | undefined;
  /** Whether its outcome is still open. */
  readonly open?: boolean | undefined;
}

export interface HistoryEntry {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly baseUrl: string;
  readonly storeId: string;
  readonly operation: string;
  readonly state: 'sent' | 'applied' | 'rejected' | 'not_sent' | 'unknown';
  /** Requests that were started. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** The JSON text that was sent. */
  readonly body: string | null;
  readonly response: { readonly status: number; readonly body: string | null } | null;
}
