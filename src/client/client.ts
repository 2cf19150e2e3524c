import { monotonicMs } from '../base/clock.ts';
import { buildPath, type Operation, type OperationClass } from '../contract/operation.ts';
import { parseBaseUrl } from './base-url.ts';
import { type Clock, MAX_TIMER_MS, systemClock } from './clock.ts';
import { combineAttempts, type FailedAttempt } from './combine-attempts.ts';
import type { Exchange } from './exchange.ts';
import type { Applied, AttemptFailure, Outcome } from './outcome.ts';
import { createRedactor } from './redact.ts';
import { classifyResponse, etagPattern, readResponse } from './response/classify.ts';
import {
  ATTEMPT_TIMEOUT_MS,
  backoffMs,
  mayRetry,
  OPERATION_TIMEOUT_MS,
  type Retry,
  reconnectsForMs,
} from './retry.ts';
import { createThrottle } from './throttle.ts';
import { chooseProxy } from './wire/proxy.ts';
import { createTransport } from './wire/transport.ts';

export { parseBaseUrl } from './base-url.ts';
export type { Clock } from './clock.ts';

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
interface RawRequest {
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

type Input = Omit<CallInput, 'parameters' | 'query' | 'body'>;

const CANCELLED: AttemptFailure = { code: 'cancelled', message: 'cancelled' };
const OUT_OF_TIME: AttemptFailure = { code: 'timeout', message: 'timed out before anything was sent' };
const ASKED_TO_WAIT: AttemptFailure = {
  code: 'throttled',
  message: 'the service asks to wait longer than the timeout allows',
};
/**
 * A client of one service for one key. Retries by the class of the operation and never guesses: see {@link Outcome}.
 * Throws a RangeError when the base URL, the key or the proxy cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const base = parseBaseUrl(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new RangeError('The API key is empty or contains invalid characters');
  }
  const { clock = systemClock, random = Math.random } = options;
  const redact = createRedactor(options.apiKey);
  const throttle = createThrottle(clock);
  let announcedUntil = 0;
  const transport = createTransport(base, chooseProxy(options.env, base));

  async function sendUntilSettled(request: RawRequest, input: Input): Promise<Outcome> {
    assertSendable(request, input.ifMatch);
    const deadline = clock.monotonic() + Math.min(input.timeoutMs ?? OPERATION_TIMEOUT_MS, MAX_TIMER_MS);
    const failed: FailedAttempt[] = [];
    const end = (interruption: AttemptFailure | null) => combineAttempts(failed, request.class, interruption);
    const stop = options.stop ?? input.signal;
    let delayMs = 0;
    for (;;) {
      const mayGoOn = await waitForSlot(delayMs, deadline, stop, (ms) =>
        announceWait(ms, failed, input, deadline),
      );
      if (stop?.aborted) return end(CANCELLED);
      if (!mayGoOn) return failed.length > 0 ? end(null) : endUnsent();
      const attempt = failed.length + 1;
      if (attempt === 1 && connectionFor(request, input, 1) === 'own') transport.connect();
      await input.beforeAttempt?.(attempt);
      if (stop?.aborted) return end(CANCELLED);
      const timeLeft = deadline - clock.monotonic();
      if (timeLeft <= 0) return end(failed.length === 0 ? OUT_OF_TIME : null);

      const result = await exchangeOnce(request, input, attempt, Math.min(ATTEMPT_TIMEOUT_MS, timeLeft));
      // While its connection was opened, another request was asked to wait. It was not sent, so it is no attempt.
      if (!('kind' in result) && result.failure?.code === 'throttled') {
        delayMs = 0;
        continue;
      }
      informThrottle(result);
      if ('kind' in result) return result;
      const cancelledUnsent = result.failure?.code === 'cancelled' && result.row === 'unreachable';
      if (!cancelledUnsent) failed.push(result);
      if (input.signal?.aborted) return end(CANCELLED);
      if (input.once) return end(null);
      if (!mayRetry(failed, request.class, clock.monotonic(), input.inBatch ?? false)) return end(null);
      delayMs = result.row === 'throttled' ? 0 : backoffMs(failed, random(), clock.monotonic());
    }
  }

  /** Waits until a request may be sent; false if that would be at or after the deadline. Ends early when cancelled. */
  async function waitForSlot(
    delayMs: number,
    deadline: number,
    signal: AbortSignal | undefined,
    announce: (ms: number) => void,
  ): Promise<boolean> {
    let waitMs = throttle.reserve(delayMs);
    while (waitMs > 0 && !signal?.aborted) {
      if (clock.monotonic() + waitMs >= deadline) return false;
      announce(waitMs);
      try {
        await clock.sleep(waitMs, signal);
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
      // Another request may have been asked to wait in the meantime.
      waitMs = throttle.isPaused() ? throttle.reserve(0) : 0;
    }
    return true;
  }

  function announceWait(delayMs: number, failed: FailedAttempt[], input: Input, deadline: number): void {
    const last = failed.at(-1);
    input.onRetry?.();
    // Requests of a batch wait together: it is said once.
    const now = clock.monotonic();
    if (input.inBatch && now < announcedUntil) return;
    announcedUntil = now + delayMs;
    const reason = last?.failure?.message ?? last?.problem?.message ?? 'the service asked to wait';
    const forMs = reconnectsForMs(failed, now, deadline);
    options.onRetry?.({ attempt: failed.length, delayMs, forMs, status: last?.status ?? null, reason });
  }

  function informThrottle(result: FailedAttempt | Applied): void {
    if ('kind' in result) {
      throttle.passed();
    } else if (result.row === 'throttled') {
      throttle.throttled(result.startedAt, result.retryAfterMs);
    } else {
      if (result.status !== null) throttle.passed();
      if (result.retryAfterMs !== null) throttle.pause(result.retryAfterMs);
    }
  }

  /** The wait that an earlier response asked for passes the deadline. */
  function endUnsent(): Outcome {
    const retryAt = Math.round(clock.now() + throttle.reserve(0));
    return { kind: 'not_sent', attempts: 0, requestId: null, features: [], retryAt, failure: ASKED_TO_WAIT };
  }

  async function exchangeOnce(
    request: RawRequest,
    input: Input,
    attempt: number,
    timeoutMs: number,
  ): Promise<FailedAttempt | Applied> {
    const { method, body } = request;
    const path = prefix + request.path;
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': options.userAgent,
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(input.ifMatch !== undefined && { 'if-match': input.ifMatch }),
    };
    const startedAt = clock.monotonic();
    const sentAt = monotonicMs();
    const wire = await transport.exchange({
      method,
      path,
      headers: { authorization: `Bearer ${options.apiKey}`, ...headers },
      body,
      connection: connectionFor(request, input, attempt),
      timeoutMs,
      signal: input.signal,
      mayStart() {
        if (throttle.isPaused() || options.stop?.aborted) return false;
        input.beforeBytes?.(attempt);
        return true;
      },
    });
    const response = await readResponse(wire, redact);
    options.onExchange?.({
      attempt,
      method,
      url: redact(base.origin + path),
      requestHeaders: { authorization: 'Bearer [redacted]', ...headers },
      requestBody: body === null ? null : redact(body),
      status: response.status,
      statusText: response.statusText,
      responseHeaders: response.status === null ? null : response.headers,
      responseBody: response.status === null ? null : response.text,
      failure: response.failure,
      durationMs: monotonicMs() - sentAt,
    });
    return classifyResponse(response, request, { attempt, startedAt, endedAt: clock.now() });
  }

  return {
    call: async (operation, input) =>
      sendUntilSettled(
        {
          operation,
          method: operation.method,
          path: buildPath(operation, input.parameters, input.query),
          body: input.body,
          class: operation.class,
        },
        input,
      ),
    send: (request, input) => sendUntilSettled(request, input),
    connect: () => transport.connect(),
    redact,
    pause: throttle.pause,
    close: () => transport.close(),
  };
}

/** A service in trouble closes connections, so each further attempt opens a new one. */
function connectionFor(
  request: RawRequest,
  { ownConnection, inBatch }: Input,
  attempt: number,
): 'any' | 'own' | 'warm' {
  if (ownConnection || attempt > 1) return 'own';
  if (request.class === 'read') return 'any';
  return inBatch ? 'warm' : 'own';
}

function assertSendable({ method, path }: RawRequest, ifMatch: string | undefined): void {
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') throw new RangeError(`unsupported method ${method}`);
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(path)) {
    throw new RangeError('The path must start with a slash and be percent-encoded');
  }
  if (ifMatch !== undefined && !etagPattern.test(ifMatch)) {
    throw new RangeError('The ETag contains invalid characters');
  }
}
