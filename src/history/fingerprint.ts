import { asObject, isObject, jsonOrText, parseJson } from '../base/json.ts';
import { sha256 } from '../base/sha256.ts';
import type { Intent } from './journal/history-record.ts';

/**
 * SHA-256 (hex) that two commands of one store share when they ask for the same: same operation, path and body, whatever
 * the order of the body's fields and whatever its idempotency key.
 */
export function fingerprint({ operation, path, body }: Pick<Intent, 'operation' | 'path' | 'body'>): string {
  const value = jsonOrText(body);
  const compared = isObject(value) ? withoutKey(value) : value;
  return sha256(JSON.stringify([operation, path, sortFields(compared)]));
}

/** The idempotency key in a request body, or null. */
export function keyOf(body: string | null): string | null {
  const { idempotencyKey } = asObject(parseJson(body));
  return typeof idempotencyKey === 'string' ? idempotencyKey : null;
}

function withoutKey({ idempotencyKey: _, ...body }: Record<string, unknown>): Record<string, unknown> {
  return body;
}

/** The value with every object as a sorted list of its fields, so that equal values serialize alike. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return { fields: fields.map(([name, field]) => [name, sortFields(field)]) };
}
