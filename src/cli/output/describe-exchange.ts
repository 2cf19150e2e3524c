import type { Exchange } from '../../client/client.ts';
import { maskWebhooksIn } from '../core/mask-webhooks.ts';
import { printableLines } from '../core/sanitize.ts';

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
