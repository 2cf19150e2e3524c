import { backoffMs } from '../../base/backoff.ts';
import type { SendResult } from './send.ts';

const secondMs = 1000;
const hourMs = 3600 * secondMs;

/** After the first attempt. */
const giveUpAfterMs = 72 * hourMs;

/** Between attempts at the same delivery. */
const shortestPauseMs = secondMs;
const longestPauseMs = hourMs;

/** What happens to a delivery after an attempt. */
export type Verdict =
  | { readonly kind: 'delivered' }
  /** Try again at this time (epoch ms). The endpoint has not failed if it only asked for a pause. */
  | { readonly kind: 'retry'; readonly at: number; readonly reason: string; readonly isFailure: boolean }
  /** The receiver takes nothing from anybody here until this time (epoch ms). */
  | { readonly kind: 'pause'; readonly at: number; readonly reason: string }
  /** Never try again. */
  | { readonly kind: 'dead'; readonly reason: string }
  /** The endpoint no longer accepts messages. */
  | { readonly kind: 'disable'; readonly reason: string };

export interface DeliveryAttempt {
  /** 1 for the first. */
  readonly number: number;
  /** Epoch ms. */
  readonly firstAt: number;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** Decides by the result: 429 waits, 401, 403 and 404 disable the endpoint, timeouts and 5xx are retried. */
export function decideVerdict(result: SendResult, attempt: DeliveryAttempt): Verdict {
  if ('refused' in result) return { kind: 'dead', reason: result.refused };
  if ('failure' in result) return retry(result.failure, backoff(attempt), attempt);

  const { status, retryAfterMs, isGlobal } = result;
  const reason = `returned status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 401 || status === 403 || status === 404) return { kind: 'disable', reason };
  if (status === 429) {
    const pauseMs = Math.min(Math.max(retryAfterMs ?? backoff(attempt), shortestPauseMs), longestPauseMs);
    if (isGlobal) return { kind: 'pause', at: attempt.now + pauseMs, reason };
    return retry(reason, pauseMs, attempt, false);
  }
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 425;
  return isFinal ? { kind: 'dead', reason } : retry(reason, backoff(attempt), attempt);
}

function retry(
  reason: string,
  pauseMs: number,
  { firstAt, now }: DeliveryAttempt,
  isFailure = true,
): Verdict {
  const at = now + pauseMs;
  if (at > firstAt + giveUpAfterMs)
    return { kind: 'dead', reason: `${reason}, no more attempts after 72 hours` };
  return { kind: 'retry', at, reason, isFailure };
}

/** Exponential with full jitter, in ms, so that deliveries that failed together are not retried together. */
function backoff({ number, random }: DeliveryAttempt): number {
  const ceiling = backoffMs(number, { firstMs: 4 * secondMs, maxMs: longestPauseMs });
  return shortestPauseMs + Math.floor(random * (ceiling - shortestPauseMs));
}
