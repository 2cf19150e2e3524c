import type { OperationClass } from '../contract/operation.ts';
import type { Failure, OutcomeKind } from './outcome.ts';

/** What is done after an attempt that did not end with an answer to hand on. */
export type Action = 'retry' | 'retry-once' | 'stop';

interface Row extends Readonly<Record<OperationClass, Action>> {
  /** What the operation ends as when this is its last attempt. */
  readonly ends: Exclude<OutcomeKind, 'applied'>;
}

/**
 * The ways in which an attempt can fail, and what then happens to an operation of each class.
 * Repeatable writes stop at an unreadable success: they are done, and a second one could undo somebody else's change.
 */
export const retryTable = {
  /** Name not found, refused, connect timeout, TLS handshake cut, no proxy. */
  unreachable: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'retry', ends: 'not_sent' },
  /** The certificate is not trusted. */
  untrusted: { read: 'stop', repeatable: 'stop', keyed: 'stop', 'one-shot': 'stop', ends: 'not_sent' },
  /** Reset, timeout or short body after the request was sent. */
  lost: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** 425, 429. */
  throttled: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'stop', ends: 'rejected' },
  /** 408, 500, 502, 503, 504. */
  unavailable: { read: 'retry', repeatable: 'retry', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** 409 saying that a request with the same key is still being worked on. */
  in_progress: { read: 'stop', repeatable: 'stop', keyed: 'retry', 'one-shot': 'stop', ends: 'unknown' },
  /** Any other 3xx, 4xx, 5xx. */
  refused: { read: 'stop', repeatable: 'stop', keyed: 'stop', 'one-shot': 'stop', ends: 'rejected' },
  /** 2xx whose body came and cannot be read. */
  unreadable: { read: 'retry', repeatable: 'stop', keyed: 'retry-once', 'one-shot': 'stop', ends: 'unknown' },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof retryTable;

export const MAX_ATTEMPTS = 4;
export const ATTEMPT_TIMEOUT_MS = 60_000;
export const OPERATION_TIMEOUT_MS = 180_000;

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 20_000;
const THROTTLED = new Set([425, 429]);
const UNAVAILABLE = new Set([408, 500, 502, 503, 504]);

/** Row of an attempt without a status: nothing was sent, or nothing came back. */
export function rowOfFailure(sent: boolean, failure: Failure): RowName {
  if (sent) return 'lost';
  return failure.code === 'certificate_untrusted' ? 'untrusted' : 'unreachable';
}

/** Row of a status that is not 2xx. */
export function rowOfStatus(status: number): RowName {
  if (THROTTLED.has(status)) return 'throttled';
  return UNAVAILABLE.has(status) ? 'unavailable' : 'refused';
}

/** Whether there is another attempt after `failed`, of which the last has just ended. */
export function mayRetry(
  failed: readonly { readonly row: RowName }[],
  operationClass: OperationClass,
  retryRateLimited: boolean,
): boolean {
  const row = failed.at(-1)?.row;
  if (row === undefined || failed.length >= MAX_ATTEMPTS) return false;
  if (row === 'throttled' && retryRateLimited) return true;
  const action: Action = retryTable[row][operationClass];
  if (action === 'retry-once') return failed.filter((attempt) => attempt.row === row).length === 1;
  return action === 'retry';
}

/**
 * True when a refusal does not tell whether an earlier attempt was applied whose answer was lost: it comes from
 * before the service looks at what is asked (a redirect, the key, the rate limit, a method not implemented), or from
 * a precondition that the earlier attempt itself may have changed.
 */
export function isSilentOnEarlierAttempt(status: number, operationClass: OperationClass): boolean {
  if (status < 400 || status >= 500) return true;
  if ([401, 403, 407, 425, 429].includes(status)) return true;
  return operationClass === 'repeatable' && (status === 409 || status === 412);
}

/** Full jitter: milliseconds to wait after the attempt with this number (from 1). `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  return random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/** Latest time that a Date can hold. */
const END_OF_TIME_MS = 8.64e15;

/**
 * Epoch milliseconds that a `Retry-After` of seconds, decimal seconds or an HTTP date means, or null.
 * A date is taken relative to the answer's own `Date` where there is one, since the two clocks may differ.
 */
export function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(now + Math.ceil(Number(value) * 1000), END_OF_TIME_MS);
  const at = parseHttpDate(value);
  if (at === null) return null;
  const serverNow = parseHttpDate(headers.date ?? '') ?? now;
  return now + Math.max(0, at - serverNow);
}

/** The three forms of RFC 9110, section 5.6.7. The oldest one has no zone and means UTC. */
function parseHttpDate(text: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}
