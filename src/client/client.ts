import { setMaxListeners } from 'node:events';
import { monotonicMs } from '../base/clock.ts';
import { additionHeaders } from '../contract/headers.ts';
import { buildPath, type OperationClass } from '../contract/operation.ts';
import { parseBaseUrl } from './base-url.ts';
import type { CallInput, Client, ClientOptions, RawRequest } from './client-types.ts';
import { MAX_TIMER_MS, systemClock } from './clock.ts';
import { headerKeyPattern } from './idempotency-key.ts';
import { createKeyAnswers, helpTimeoutMs, type KeyAnswer } from './key-answers.ts';
import { combineAttempts, type FailedAttempt } from './outcome/combine-attempts.ts';
import type { Applied, AttemptFailure, Outcome } from './outcome/outcome.ts';
import {
  ATTEMPT_TIMEOUT_MS,
  mayRetry,
  OPERATION_TIMEOUT_MS,
  reconnectsForMs,
  waitBeforeRetryMs,
} from './outcome/retry.ts';
import { classifyResponse, etagPattern, readResponse } from './response/classify.ts';
import { createRedactor } from './response/redact.ts';
import { createThrottle, parsePolicy } from './throttle.ts';
import { chooseProxy } from './wire/proxy.ts';
import { createTransport } from './wire/transport.ts';

type Input = Omit<CallInput, 'parameters' | 'query' | 'body'>;

const policyHeader = additionHeaders.rateLimitPolicy.toLowerCase();

const CANCELLED: AttemptFailure = { code: 'cancelled', message: 'cancelled' };
const OUT_OF_TIME: AttemptFailure = { code: 'timeout', message: 'timed out before anything was sent' };
const ASKED_TO_WAIT: AttemptFailure = {
  code: 'throttled',
  message: 'the service asks to wait longer than the timeout allows',
};
/**
 * A client of one service for one API key. It retries by the class of the operation, and never guesses an {@link Outcome}. Throws a
 * RangeError if the base URL, the API key or the proxy cannot be used.
 */
export function openClient(options: ClientOptions): Client {
  const base = parseBaseUrl(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
    throw new RangeError('The API key is empty or contains invalid characters');
  }
  const { clock = systemClock, random = Math.random } = options;
  const redact = createRedactor(options.apiKey);
  const throttle = createThrottle(clock);
  let announcedUntil = 0;
  const shareAnswer = createKeyAnswers(clock);
  const transport = createTransport(base, chooseProxy(options.env, base));

  /** Makes attempts until the retry table or the deadline ends them, and combines them into one outcome. */
  async function sendUntilSettled(request: RawRequest, input: Input): Promise<Outcome> {
    assertSendable(request, input);
    const deadline = clock.monotonic() + Math.min(input.timeoutMs ?? OPERATION_TIMEOUT_MS, MAX_TIMER_MS);
    const failed: FailedAttempt[] = [];
    const end = (interruption: AttemptFailure | null) => combineAttempts(failed, request.class, interruption);
    const stop = options.stop ?? input.signal;
    // Each request listens to the signals, and Node warns of more than ten listeners as if they were a leak.
    for (const signal of [stop, input.signal]) if (signal !== undefined) setMaxListeners(0, signal);
    const key = input.idempotencyKey;
    /** Whether the service applies the key in the header once. `ask`: the next attempt is made only if the service says so. */
    let isKeyApplied: 'yes' | 'ask' | 'not known' = 'not known';
    let delayMs = 0;
    for (;;) {
      const mayGoOn = await waitForTurn(delayMs, deadline, stop, (ms) =>
        announceWait(ms, failed, input, deadline),
      );
      if (stop?.aborted) return end(CANCELLED);
      if (!mayGoOn) return failed.length > 0 ? end(null) : endUnsent();
      if (isKeyApplied === 'ask' && key !== undefined) {
        const change = { kind: request.operation?.path ?? request.path, path: request.path, key };
        const timeoutMs = deadline - clock.monotonic();
        if ((await appliesOnce(change, { timeoutMs, signal: input.signal })) !== 'yes')
          return end(input.signal?.aborted ? CANCELLED : null);
        isKeyApplied = 'yes';
        delayMs = 0;
        continue;
      }
      const attempt = failed.length + 1;
      if (attempt === 1 && connectionFor(request, input, 1) === 'own') transport.connect();
      await input.beforeAttempt?.(attempt);
      if (stop?.aborted) return end(CANCELLED);
      const timeLeft = deadline - clock.monotonic();
      if (timeLeft <= 0) return end(failed.length === 0 ? OUT_OF_TIME : null);

      const result = await exchangeOnce(request, input, attempt, Math.min(ATTEMPT_TIMEOUT_MS, timeLeft));
      // Another request was asked to wait while this connection was opened. Nothing was sent, so this does not count as an attempt.
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
      if (key !== undefined && result.features.includes('keys')) isKeyApplied = 'yes';
      const mayRetryAs = (how: OperationClass) =>
        mayRetry(failed, how, clock.monotonic(), input.inBatch ?? false);
      if (!mayRetryAs(isKeyApplied === 'yes' ? 'keyed' : request.class)) {
        if (key === undefined || isKeyApplied === 'yes' || !mayRetryAs('keyed')) return end(null);
        isKeyApplied = 'ask';
      }
      delayMs = result.row === 'throttled' ? 0 : waitBeforeRetryMs(failed, random(), clock.monotonic());
    }
  }

  function appliesOnce(
    { kind, path, key }: Parameters<Client['appliesOnce']>[0],
    { timeoutMs = helpTimeoutMs, signal }: Pick<CallInput, 'timeoutMs' | 'signal'> = {},
  ): Promise<KeyAnswer> {
    const read = { method: 'GET', path, body: null, class: 'read' } as const;
    const limits = { timeoutMs: Math.min(timeoutMs, helpTimeoutMs), signal };
    return shareAnswer(kind, () =>
      sendUntilSettled(read, { ...limits, idempotencyKey: key, once: true, ownConnection: true }),
    );
  }

  /** Waits until the throttle lets the next request go. False if that would be at the deadline or later. Ends early if cancelled. */
  async function waitForTurn(
    delayMs: number,
    deadline: number,
    signal: AbortSignal | undefined,
    announce: (ms: number) => void,
  ): Promise<boolean> {
    let waitMs = throttle.reserve(delayMs);
    while (waitMs > 0 && !signal?.aborted) {
      if (clock.monotonic() + waitMs >= deadline) return false;
      if (delayMs > 0 || throttle.isSlowed()) announce(waitMs);
      try {
        await clock.sleep(waitMs, signal);
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
      // Another request may have been asked to wait meanwhile.
      waitMs = throttle.isPaused() ? throttle.reserve(0) : 0;
    }
    return true;
  }

  function announceWait(delayMs: number, failed: FailedAttempt[], input: Input, deadline: number): void {
    const last = failed.at(-1);
    input.onRetry?.();
    // Requests of a batch wait together, so their wait is announced once.
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

  /** The outcome if an earlier response asked to wait beyond the deadline, before the first attempt. */
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
      ...(input.idempotencyKey !== undefined && { 'idempotency-key': input.idempotencyKey }),
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
    const response = await readResponse(wire, redact, {
      timeoutMs: timeoutMs - (monotonicMs() - sentAt),
      signal: input.signal,
    });
    const policy = parsePolicy(response.headers[policyHeader] ?? '');
    if (policy !== null) throttle.allow(policy.quota, policy.windowMs);
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
    const hasKey = input.idempotencyKey !== undefined;
    return classifyResponse(response, { ...request, hasKey }, { attempt, startedAt, endedAt: clock.now() });
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
    appliesOnce,
    connect: () => transport.connect(),
    redact,
    pause: throttle.pause,
    close: () => transport.close(),
  };
}

/** The connection for an attempt, see `WireRequest`. A second attempt opens a new one, because a service in trouble closes connections. */
function connectionFor(
  request: RawRequest,
  { ownConnection, inBatch }: Input,
  attempt: number,
): 'any' | 'own' | 'warm' {
  if (ownConnection || attempt > 1) return 'own';
  if (request.class === 'read') return 'any';
  return inBatch ? 'warm' : 'own';
}

function assertSendable({ method, path }: RawRequest, { ifMatch, idempotencyKey }: Input): void {
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT') throw new RangeError(`unsupported method ${method}`);
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(path)) {
    throw new RangeError('The path must start with a slash and be percent-encoded');
  }
  if (ifMatch !== undefined && !etagPattern.test(ifMatch)) {
    throw new RangeError('The ETag contains invalid characters');
  }
  if (idempotencyKey !== undefined && !headerKeyPattern.test(idempotencyKey)) {
    throw new RangeError('The idempotency key is too long or contains invalid characters');
  }
}
