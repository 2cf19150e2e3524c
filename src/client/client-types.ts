import type { Operation, OperationClass } from '../contract/operation.ts';
import type { Clock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import type { KeyAnswer } from './key-answers.ts';
import type { Outcome } from './outcome/outcome.ts';
import type { Retry } from './outcome/retry.ts';

export interface ClientOptions {
  /** Origin with an optional path prefix, see {@link parseBaseUrl}. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Ends waits and lets nothing begin; a request in flight ends by the `signal` of its call. */
  readonly stop?: AbortSignal;
  /** Spreads retries, in [0, 1). */
  readonly random?: () => number;
  onExchange?(exchange: Exchange): void;
  onRetry?(retry: Retry): void;
}

export interface CallInput {
  readonly parameters: Readonly<Record<string, string>>;
  /** Query parameters of a read. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** JSON text, sent byte for byte. */
  readonly body: string | null;
  readonly ifMatch?: string | undefined;
  /**
   * Sent in the header `Idempotency-Key`. A change whose response was lost is sent again if the service says that it applies
   * such a key once.
   */
  readonly idempotencyKey?: string | undefined;
  /** For the whole operation, all attempts included; 180 s by default. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Without retries: a read that only helps. */
  readonly once?: boolean | undefined;
  /** A read that proves something: it gets a fresh connection, as every write outside a batch does. */
  readonly ownConnection?: boolean | undefined;
  /** One of many requests: retries after 425 and 429 until the deadline, and reuses a warm connection. */
  readonly inBatch?: boolean | undefined;
  /** Awaited before each attempt (from 1). Opening a connection may overlap with it. What it throws ends the call. */
  beforeAttempt?(attempt: number): Promise<void>;
  /**
   * Called for each attempt once its connection is open, in the turn of the event loop in which the request is written. What it
   * throws ends the call, and nothing of this attempt was sent.
   */
  beforeBytes?(attempt: number): void;
  /** Called before each wait for another attempt. */
  readonly onRetry?: (() => void) | undefined;
}

/** A request outside the contract's operations. */
export interface RawRequest {
  readonly method: string;
  /** Path and query below the base URL, percent-encoded. */
  readonly path: string;
  readonly body: string | null;
  readonly class: OperationClass;
  /**
   * The operation of the contract that this is: its response is checked. If it is null, any complete body of a success is
   * accepted: text that is not JSON becomes a string, an empty body null.
   */
  readonly operation?: Pick<Operation, 'path' | 'response' | 'repeats'> | null;
}

export interface Client {
  /** Sends an operation of the contract. Rejects with a RangeError for a missing or invalid path parameter. */
  call(operation: Operation, input: CallInput): Promise<Outcome>;
  send(request: RawRequest, input: Omit<CallInput, 'parameters' | 'query' | 'body'>): Promise<Outcome>;
  /**
   * Whether the service applies a change once by the key in its header: one `GET` of the change's own path with this key. `kind`
   * is the path of its operation; changes of one kind share the answer for a while.
   */
  appliesOnce(
    change: { readonly kind: string; readonly path: string; readonly key: string },
    limits?: Pick<CallInput, 'timeoutMs' | 'signal'>,
  ): Promise<KeyAnswer>;
  /**
   * Begins to open a connection for the next request that needs a fresh one, so that this overlaps with what is done
   * before the request. Closed again if no request follows soon.
   */
  connect(): void;
  /** The text without the API key. */
  redact(text: string): string;
  /** Sends nothing for this many milliseconds, because a response to an earlier client asked for it. */
  pause(ms: number): void;
  close(): Promise<void>;
}
