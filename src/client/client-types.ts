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
  /** Ends waits, and no request begins after it. A request in flight ends by the `signal` of its call. */
  readonly stop?: AbortSignal;
  /** A random number in [0, 1), which spreads retries. */
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
   * The key for the header `Idempotency-Key`. A change whose response was lost is sent again if the service says that it applies this key
   * once.
   */
  readonly idempotencyKey?: string | undefined;
  /** For the whole operation, all attempts included; 180 s by default. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes one attempt only. For a read that the caller can do without. */
  readonly once?: boolean | undefined;
  /** Opens a new connection, as every write outside a batch does. For a read that proves something. */
  readonly ownConnection?: boolean | undefined;
  /** The request belongs to a batch: it is retried after 425 and 429 until the deadline, and uses a warm connection. */
  readonly inBatch?: boolean | undefined;
  /** Awaited before each attempt (from 1), while the connection may be opened. An error that it throws ends the call. */
  beforeAttempt?(attempt: number): Promise<void>;
  /**
   * Called for each attempt when its connection is open, in the turn of the event loop in which the request is written. An error that it
   * throws ends the call, and this attempt has sent nothing.
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
   * The operation of the contract whose request this is: the response is checked by it. If it is null, every complete body of a success
   * is accepted: text that is not JSON becomes a string, an empty body null.
   */
  readonly operation?: Pick<Operation, 'path' | 'response' | 'repeats'> | null;
}

export interface Client {
  /** Sends an operation of the contract. Rejects with a RangeError for a missing or invalid path parameter. */
  call(operation: Operation, input: CallInput): Promise<Outcome>;
  send(request: RawRequest, input: Omit<CallInput, 'parameters' | 'query' | 'body'>): Promise<Outcome>;
  /**
   * Asks whether the service applies the key in the header of a change once, by one `GET` of the change's own path with this key. `kind`
   * is the path of the operation: changes of one kind share the answer for a while.
   */
  appliesOnce(
    change: { readonly kind: string; readonly path: string; readonly key: string },
    limits?: Pick<CallInput, 'timeoutMs' | 'signal'>,
  ): Promise<KeyAnswer>;
  /**
   * Begins to open a connection for the next request that needs a new one, while the caller prepares that request. The connection is
   * closed if no request follows soon.
   */
  connect(): void;
  /** The text without the API key. */
  redact(text: string): string;
  /** Sends nothing for this many milliseconds, because the service has asked an earlier command to wait. */
  pause(ms: number): void;
  close(): Promise<void>;
}
