import { jsonOrText } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';

/** What makes two commands the same command. */
export interface Command {
  /** Id of the operation in the contract. */
  readonly operation: string;
  readonly origin: string;
  readonly storeId: string;
  readonly path: string;
  /** As sent, or null. */
  readonly body: string | null;
}

/**
 * SHA-256 (hex) that two commands share when they ask for the same thing: same operation, origin, store, path and
 * body, whatever the order of the body's fields and whatever its idempotency key.
 */
export function fingerprint(command: Command): string {
  const { operation, origin, storeId, path } = command;
  return sha256(
    JSON.stringify([operation, origin, storeId, path, sortFields(withoutKey(jsonOrText(command.body)))]),
  );
}

/** The idempotency key in a request body, or null. */
export function keyOf(body: string | null): string | null {
  const value = jsonOrText(body);
  if (typeof value !== 'object' || value === null || !('idempotencyKey' in value)) return null;
  return typeof value.idempotencyKey === 'string' ? value.idempotencyKey : null;
}

function withoutKey(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'idempotencyKey'));
}

/** The value with every object as a sorted list of its fields, so that equal values serialize alike. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: fields.map(([name, field]) => [name, sortFields(field)]) };
}
