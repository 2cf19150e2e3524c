/**
 * A text with `***` for the last part of each webhook's address, which is its secret: whoever has it can post there. The
 * text may be JSON, in which a slash may have a backslash before it.
 */
export function maskWebhooksIn(text: string): string {
  return text.replace(/(\\*\/webhooks\\*\/\d+\\*\/)[\w-]+/gi, '$1***');
}

/** A copy of a JSON value, such as a request or a record of the history, with every webhook's address masked. */
export function maskWebhooks<Value>(value: Value): Value {
  return JSON.parse(maskWebhooksIn(JSON.stringify(value)));
}
