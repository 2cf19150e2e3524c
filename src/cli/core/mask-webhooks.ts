/**
 * Replaces the last part of each webhook address by `***`: it is the secret that allows posting there. The text may be
 * JSON, where slashes may be escaped by a backslash.
 */
export function maskWebhooksIn(text: string): string {
  return text.replace(/(\\*\/webhooks\\*\/\d+\\*\/)[\w-]+/gi, '$1***');
}

/** A copy of a JSON value, such as a request or a history record, with every webhook address masked. */
export function maskWebhooks<Value>(value: Value): Value {
  return JSON.parse(maskWebhooksIn(JSON.stringify(value)));
}
