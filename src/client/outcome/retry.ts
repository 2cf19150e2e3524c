import { backoffMs } from '../../base/backoff.ts';
import type { OperationClass } from '../../contract/operation.ts';
import type { AttemptFailure, OutcomeKind } from './outcome.ts';

/** The next step after an attempt that failed. */
type Action = 'retry' | 'retry-once' | 'stop';

interface Row extends Readonly<Record<OperationClass, Action>> {
  /** The outcome of a write with this one attempt. */
  readonly ends: Exclude<OutcomeKind, 'applied'>;
}

/**
 * The ways in which an attempt can fail, and the next step for an operation of each class. A repeatable write stops at an unreadable
 * success: the write was applied, and a second one could undo the change of somebody else.
 */
export const retryTable = {
  /** Name not found, refused, connect timeout, TLS handshake cut, proxy failed. */
  unreachable: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'retry', ends: 'not_sent' },
  /** The certificate is not trusted. */
  untrusted: { read: 'stop', repeatable: 'stop', keyed: 'stop', 'one-shot': 'stop', ends: 'not_sent' },
  /** Reset, timeout or short body after bytes were sent. */
  lost: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** 425, 429, and 403 with `Retry-After`: definite refusals. */
  throttled: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'retry', ends: 'rejected' },
  /** 408, every 5xx except 501, 505 and 511, and a status that HTTP does not have: the request may have been applied before it. */
  unavailable: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** 300–303: the response leads to the result of the request, so the request may have been applied. */
  redirected: { read: 'stop', repeatable: 'stop', keyed: 'stop', 'one-shot': 'stop', ends: 'unknown' },
  /** 409 because an earlier request with the same key is still being processed. */
  in_progress: { read: 'stop', repeatable: 'stop', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** 304–399, other 4xx, 501, 505, 511. */
  refused: { read: 'stop', repeatable: 'stop', keyed: 'stop', 'one-shot': 'stop', ends: 'rejected' },
  /** 2xx whose body cannot be read, or is about another request. */
  unreadable: { read: 'retry', repeatable: 'stop', keyed: 'retry-once', 'one-shot': 'stop', ends: 'unknown' },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof retryTable;

/** Maximum number of attempts, not counting those whose connection was refused or timed out. */
export const MAX_ATTEMPTS = 4;
/** How long a connection is tried again that is refused or times out. A service restarts within this time. */
const RECONNECT_TIMEOUT_MS = 60_000;
export const ATTEMPT_TIMEOUT_MS = 60_000;
export const OPERATION_TIMEOUT_MS = 180_000;

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 20_000;
const DEFINITE_SERVER_ERRORS = new Set([501, 505, 511]);

/** The row of an attempt without a status. */
export function rowOfFailure(sent: boolean, failure: AttemptFailure): RowName {
  if (sent) return 'lost';
  return failure.code === 'certificate_untrusted' ? 'untrusted' : 'unreachable';
}

/** The row of a status that is not 2xx. A final status is 200 to 599 (RFC 9110, section 15); any other says nothing. `asksToWait`: the response has a `Retry-After`. */
export function rowOfStatus(status: number, asksToWait = false): RowName {
  if (isRateLimit(status, asksToWait)) return 'throttled';
  if (status === 408 || status < 200) return 'unavailable';
  if (status >= 500) return DEFINITE_SERVER_ERRORS.has(status) ? 'refused' : 'unavailable';
  return status >= 300 && status <= 303 ? 'redirected' : 'refused';
}

/** Whether a refusal means too many requests. A 403 without `Retry-After` is about access. */
export function isRateLimit(status: number, asksToWait: boolean): boolean {
  return status === 425 || status === 429 || (status === 403 && asksToWait);
}

/** The announcement of another attempt, before the wait for it. */
export interface Retry {
  /** The attempts so far. */
  readonly attempt: number;
  readonly delayMs: number;
  /** How long a connection that was refused is tried again; null after any other failure. */
  readonly forMs: number | null;
  /** The status of the response, or null if none came. */
  readonly status: number | null;
  readonly reason: string;
}

/** The part of an attempt that {@link mayRetry} needs. */
export interface Attempt {
  readonly row: RowName;
  readonly failure: Pick<AttemptFailure, 'code'> | null;
  /** When the attempt began, in milliseconds of the monotonic clock. */
  readonly startedAt: number;
}

/**
 * Whether there is another attempt after these. `now` is in milliseconds of the monotonic clock. With `persistent`, throttled attempts do
 * not count towards the maximum.
 */
export function mayRetry(
  attempts: readonly Attempt[],
  operationClass: OperationClass,
  now: number,
  persistent: boolean,
): boolean {
  const last = attempts.at(-1);
  if (last === undefined) return false;
  const reconnectMs = reconnectsForMs(attempts, now);
  if (reconnectMs !== null) return reconnectMs > 0;
  const counted = attempts.filter(
    (attempt) => !wasNotConnected(attempt) && !(persistent && attempt.row === 'throttled'),
  );
  if (counted.length >= MAX_ATTEMPTS) return false;
  const action: Action = retryTable[last.row][operationClass];
  if (action === 'retry-once') return attempts.filter(({ row }) => row === last.row).length === 1;
  return action === 'retry';
}

/** For how many more milliseconds the connection is tried again. Null if the last attempt had a connection. */
export function reconnectsForMs(
  attempts: readonly Attempt[],
  now: number,
  deadline = Number.POSITIVE_INFINITY,
): number | null {
  const firstRefused = attempts.findLastIndex((attempt) => !wasNotConnected(attempt)) + 1;
  const first = attempts[firstRefused];
  return first === undefined ? null : Math.min(first.startedAt + RECONNECT_TIMEOUT_MS, deadline) - now;
}

function wasNotConnected({ failure }: Attempt): boolean {
  return failure?.code === 'connection_refused' || failure?.code === 'connect_timeout';
}

/**
 * Milliseconds to wait after these attempts, with full jitter. Attempts without a connection and attempts with one are counted
 * apart, so that the waits are short again once the service has restarted. The last attempt to connect is made when the time
 * for connecting ends. `random` is in [0, 1).
 */
export function waitBeforeRetryMs(attempts: readonly Attempt[], random: number, now: number): number {
  const last = attempts.at(-1);
  const isRefused = last !== undefined && wasNotConnected(last);
  const alike = isRefused
    ? attempts.length - 1 - attempts.findLastIndex((attempt) => !wasNotConnected(attempt))
    : attempts.filter((attempt) => !wasNotConnected(attempt)).length;
  const wait = random * backoffMs(alike, { firstMs: BACKOFF_BASE_MS, maxMs: BACKOFF_CAP_MS });
  return Math.min(wait, reconnectsForMs(attempts, now) ?? wait);
}

/** A year: longer than any deadline, and still a date that can be printed. */
const MAX_RETRY_AFTER_MS = 365 * 24 * 3_600_000;

/**
 * Milliseconds to wait by the header `Retry-After` (seconds, decimal seconds or an HTTP date), a year at most. Null without the header.
 * `now` is in epoch milliseconds. A date is compared with the header `Date` of the response if there is one, because the clocks of
 * service and client may differ.
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Math.ceil(Number(value) * 1000), MAX_RETRY_AFTER_MS);
  const at = parseHttpDate(value);
  if (at === null) return null;
  const serverNow = parseHttpDate(headers.date ?? '') ?? now;
  return Math.min(Math.max(0, at - serverNow), MAX_RETRY_AFTER_MS);
}

/** Parses the three forms of a date in RFC 9110, section 5.6.7. The oldest form has no zone and means UTC. */
function parseHttpDate(text: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}
