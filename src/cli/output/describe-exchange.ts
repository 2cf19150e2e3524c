import type { Exchange } from '../../client/client.ts';
import { maskWebhooksIn } from '../core/mask-webhooks.ts';
import { printable, printableLines } from '../core/sanitize.ts';

/** One request and its answer for `--debug`. The client has redacted the key already. */
export function describeExchange(exchange: Exchange): string {
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

/** The notice before a retry: the reason and the delay. `status` is null if no answer came. */
export function describeRetry({
  status,
  delayMs,
  reason,
}: {
  readonly status: number | null;
  readonly delayMs: number;
  readonly reason: string;
}): string {
  const why = status === 429 ? 'rate limited by the service' : printable(reason).replace(/[.\s]+$/, '');
  return `${why}: retrying in ${inSeconds(delayMs)} s`;
}

/** Short delays are rounded to a tenth of a second, longer ones to a second. */
function inSeconds(milliseconds: number): number {
  return milliseconds < 10_000
    ? Math.max(1, Math.round(milliseconds / 100)) / 10
    : Math.round(milliseconds / 1000);
}
