import type * as z from 'zod/mini';
import { buildPath, type Operation, type OperationClass } from '../contract/operation.ts';
import { parseBaseUrl } from './base-url.ts';
import { classifyResponse, readAnswer } from './classify-response.ts';
import { type Clock, systemClock } from './clock.ts';
import { combineAttempts, type FailedAttempt } from './combine-attempts.ts';
import type { Applied, Failure, Outcome } from './outcome.ts';
import { createRedactor } from './redact.ts';
import { ATTEMPT_TIMEOUT_MS, backoffMs, mayRetry, OPERATION_TIMEOUT_MS } from './retry.ts';
import { chooseProxy } from './wire/proxy.ts';
import { createTransport } from './wire/transport.ts';

export { parseBaseUrl } from './base-url.ts';
export type { Clock } from './clock.ts';

/** One request and what came of it, for `--debug` and the like. The API key is in none of its strings. */
export interface Exchange {
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string | null;
  readonly status: number | null;
  /** Reason phrase, empty where the server sent none. */
  readonly statusText: string;
  readonly responseHeaders: Record<string, string> | null;
  readonly responseBody: string | null;
  readonly failure: Failure | null;
  readonly durationMs: number;
}

export interface ClientOptions {
  /** Origin with an optional path prefix, see {@link parseBaseUrl}. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Spreads retries, in [0, 1). */
  readonly random?: () => number;
  onExchange?(exchange: Exchange): void;
  /** Called before each wait. `status` is that of the answer, or null where none came. */
  onRetry?(info: { attempt: number; delayMs: number; status: number | null; reason: string }): void;
}

export interface CallInput {
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON text, sent byte for byte. */
  readonly body: string | null;
  readonly ifMatch?: string;
  /** For the whole operation with all its attempts: 180 s where not given. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Wait and try again after 425 and 429 also where the class of the operation would stop. */
  readonly retryRateLimited?: boolean;
  /** One of many requests in a row: a one-shot operation may use a connection that has answered just now. */
  readonly followsClosely?: boolean;
  /** Awaited before each attempt (from 1), before a connection is opened. What it throws ends the call. */
  beforeAttempt?(attempt: number): Promise<void>;
  /** Called before each wait for another attempt. */
  onRetry?(): void;
}

/** A request outside the contract's operations. */
export interface RawRequest {
  readonly method: string;
  /** Path and query below the base URL, percent-encoded. */
  readonly path: string;
  readonly body: string | null;
  readonly class: OperationClass;
  readonly response?: z.ZodMiniType | null;
  /** Any complete body of a success counts as read: what is no JSON becomes a string, what is empty null. */
  readonly anyBody?: boolean;
}

export interface Client {
  /** Performs an operation of the contract. Rejects with a RangeError when a path parameter is missing or unfit. */
  call(operation: Operation, input: CallInput): Promise<Outcome>;
  send(request: RawRequest, input: Omit<CallInput, 'parameters' | 'body'>): Promise<Outcome>;
  close(): Promise<void>;
}

type Input = Omit<CallInput, 'parameters' | 'body'>;

const CANCELLED: Failure = { code: 'cancelled', message: 'cancelled' };
const OUT_OF_TIME: Failure = { code: 'timeout', message: 'out of time before anything was sent' };
/** For which a connection that has answered is certainly open: services keep idle ones for some seconds. */
const JUST_NOW_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A client of one service for one key. Retries by the class of the operation and never guesses: see {@link Outcome}.
 * Throws a RangeError when the base URL, the key or the proxy cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  const base = parseBaseUrl(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new RangeError('The API key is empty or contains characters that a key cannot have');
  }
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const redact = createRedactor(options.apiKey);
  const transport = createTransport(base, chooseProxy(options.env, base));

  async function perform(request: RawRequest, input: Input): Promise<Outcome> {
    assertSendable(request, input.ifMatch);
    const deadline = clock.now() + Math.min(input.timeoutMs ?? OPERATION_TIMEOUT_MS, LONGEST_TIMER_MS);
    const failed: FailedAttempt[] = [];
    const end = (interruption: Failure | null) => combineAttempts(failed, request.class, interruption);
    for (;;) {
      if (input.signal?.aborted) return end(CANCELLED);
      const attempt = failed.length + 1;
      await input.beforeAttempt?.(attempt);
      if (input.signal?.aborted) return end(CANCELLED);
      const timeLeft = deadline - clock.now();
      if (timeLeft <= 0) return end(failed.length === 0 ? OUT_OF_TIME : null);

      const result = await exchangeOnce(request, input, attempt, Math.min(ATTEMPT_TIMEOUT_MS, timeLeft));
      if ('kind' in result) return result;
      const cancelledUnsent = result.failure?.code === 'cancelled' && result.row === 'unreachable';
      if (!cancelledUnsent) failed.push(result);
      if (input.signal?.aborted) return end(CANCELLED);
      if (!mayRetry(failed, request.class, input.retryRateLimited ?? false)) return end(null);

      const now = clock.now();
      const delayMs = Math.max(backoffMs(attempt, random()), (result.retryAt ?? now) - now);
      if (now + delayMs >= deadline) return end(null);
      const reason = result.failure?.message ?? result.problem?.message ?? '';
      options.onRetry?.({ attempt, delayMs, status: result.status, reason });
      input.onRetry?.();
      try {
        await clock.sleep(delayMs, input.signal);
      } catch (error) {
        if (!input.signal?.aborted) throw error;
      }
    }
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
    const startedAt = process.hrtime.bigint();
    const wire = await transport.exchange({
      method,
      path,
      headers: { authorization: `Bearer ${options.apiKey}`, ...headers },
      body,
      // A service in trouble closes connections, and a one-shot operation cannot try again.
      fresh: request.class === 'one-shot' || attempt > 1,
      ...(input.followsClosely && attempt === 1 && { warmMs: JUST_NOW_MS }),
      timeoutMs,
      signal: input.signal,
    });
    const answer = await readAnswer(wire, redact);
    options.onExchange?.({
      attempt,
      method,
      url: redact(base.origin + path),
      requestHeaders: { authorization: 'Bearer [redacted]', ...headers },
      requestBody: body === null ? null : redact(body),
      status: answer.status,
      statusText: answer.statusText,
      responseHeaders: answer.status === null ? null : answer.headers,
      responseBody: answer.status === null ? null : answer.text,
      failure: answer.failure,
      // Not `performance`, which Node loads when it is first asked for.
      durationMs: Number(process.hrtime.bigint() - startedAt) / 1e6,
    });
    return classifyResponse(answer, request, attempt, clock.now());
  }

  return {
    call: async (operation, input) =>
      perform({ ...operation, path: buildPath(operation, input.parameters), body: input.body }, input),
    send: (request, input) => perform(request, input),
    close: () => transport.close(),
  };
}

function assertSendable({ method, path }: RawRequest, ifMatch: string | undefined): void {
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT')
    throw new RangeError(`${method} is not a method to send`);
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(path)) {
    throw new RangeError('The path must begin with a slash, and be percent-encoded');
  }
  if (ifMatch !== undefined && !/^[\x21-\x7e]+$/.test(ifMatch)) {
    throw new RangeError('The entity tag has characters that cannot be sent');
  }
}
