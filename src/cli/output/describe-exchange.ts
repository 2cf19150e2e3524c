import type { Exchange } from '../../client/exchange.ts';
import type { Retry } from '../../client/outcome/retry.ts';
import { line, maskWebhooksIn, type Printable, printableLines } from '../core/sanitize.ts';

/** One request and its response for `--debug`. The client has redacted the key already. */
export function describeExchange(exchange: Exchange): Printable {
  const headers = (mark: string, fields: Readonly<Record<string, string>> | null) =>
    Object.entries(fields ?? {}).map(([name, value]) => `${mark} ${name}: ${value}`);
  const lines = [
    `> ${exchange.method} ${exchange.url} (attempt ${exchange.attempt})`,
    ...headers('>', exchange.requestHeaders),
    ...(exchange.requestBody === null ? [] : [`> ${exchange.requestBody}`]),
    exchange.failure
      ? `< ${exchange.failure.code}: ${exchange.failure.message}`
      : `< ${exchange.status} after ${Math.round(exchange.durationMs)} ms`,
    ...headers('<', exchange.responseHeaders),
    ...(exchange.responseBody === null ? [] : [`< ${exchange.responseBody}`]),
  ];
  return printableLines(maskWebhooksIn(lines.join('\n')));
}

/**
 * Says why a request is sent again, and when. Requests of a command wait together: that the connection is tried again is said
 * once, and a rate limit again only if the wait gets much longer.
 */
export function noteRetries(notice: (text: Printable) => void): (retry: Retry) => void {
  let isReconnectingSaid = false;
  let longestLimitMs = 0;
  return (retry) => {
    const { forMs, delayMs, status, attempt } = retry;
    // Before the first attempt, only an earlier rate limit makes it wait.
    const isRateLimit = status === 429 || attempt === 0;
    if (isRateLimit ? delayMs <= 2 * longestLimitMs : forMs !== null && isReconnectingSaid) return;
    if (isRateLimit) longestLimitMs = delayMs;
    else if (forMs !== null) isReconnectingSaid = true;
    notice(describeRetry(retry));
  };
}

/** The notice before a retry: the reason and the delay. */
export function describeRetry({ status, delayMs, forMs, reason }: Omit<Retry, 'attempt'>): Printable {
  const why = status === 429 ? 'rate limited by the service' : reason;
  return line`${why}: retrying ${forMs === null ? `in ${inSeconds(delayMs)}` : `for up to ${inSeconds(forMs)}`} s`;
}

/** Short delays are rounded to a tenth of a second, longer ones to a second. */
function inSeconds(milliseconds: number): number {
  return milliseconds < 10_000
    ? Math.max(1, Math.round(milliseconds / 100)) / 10
    : Math.round(milliseconds / 1000);
}
