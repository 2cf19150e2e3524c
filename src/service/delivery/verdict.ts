import type { SendResult } from './send.ts';

const secondMs = 1000;
const hourMs = 3600 * secondMs;

/** From the first attempt. */
const giveUpAfterMs = 72 * hourMs;

/** Between attempts at the same delivery. */
const shortestPauseMs = secondMs;
const longestPauseMs = hourMs;

/** What becomes of a delivery after an attempt. */
export type Verdict =
  | { readonly kind: 'delivered' }
  /** Again at this time (epoch ms). */
  | { readonly kind: 'retry'; readonly at: number; readonly reason: string }
  /** Never again by itself. */
  | { readonly kind: 'dead'; readonly reason: string }
  /** The endpoint takes no message any more. */
  | { readonly kind: 'disable'; readonly reason: string };

export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  /** Epoch ms. */
  readonly firstAt: number;
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
}

/** What an attempt that ended like this means (service.md's table as code: 429 waits, 401, 403 and 404 disable). */
export function judge(result: SendResult, attempt: Attempt): Verdict {
  if ('refused' in result) return { kind: 'dead', reason: result.refused };
  if ('failure' in result) return retry(result.failure, backoff(attempt), attempt);

  const { status, retryAfterMs } = result;
  const reason = `answered with status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 401 || status === 403 || status === 404) return { kind: 'disable', reason };
  if (status === 429) {
    return retry(reason, Math.max(retryAfterMs ?? backoff(attempt), shortestPauseMs), attempt);
  }
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 425;
  return isFinal ? { kind: 'dead', reason } : retry(reason, backoff(attempt), attempt);
}

function retry(reason: string, pauseMs: number, { firstAt, now }: Attempt): Verdict {
  const at = now + pauseMs;
  if (at > firstAt + giveUpAfterMs) return { kind: 'dead', reason: `${reason}, given up after 72 hours` };
  return { kind: 'retry', at, reason };
}

/** Exponential with full jitter, in ms: many deliveries that failed together do not come back together. */
function backoff({ number, random }: Attempt): number {
  const ceiling = Math.min(longestPauseMs, 2 * secondMs * 2 ** Math.min(number, 20));
  return shortestPauseMs + Math.floor(random * (ceiling - shortestPauseMs));
}
