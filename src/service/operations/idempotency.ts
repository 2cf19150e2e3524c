import { sha256 } from '../../base/sha256.ts';
import { ServiceError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import { insert } from '../storage/core/statement.ts';
import { deleteAnswer, findAnswer, type KeyedRequest } from '../storage/queries/idempotency-keys.ts';
import type { Work } from './unit-of-work.ts';

const retentionMs = daysInMs(2);

export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/**
 * Applies a request once per key: the same request again gets the stored answer. The effect and the answer are stored in one
 * transaction, which has to hold the lock of the store. Throws `idempotency_key_reused` for another request with the same
 * key. Refusals are not stored, so that a corrected request can be sent with the same key.
 */
export async function applyOnce(
  work: Work,
  input: { readonly idempotencyKey: string },
  request: Omit<KeyedRequest, 'key'>,
  effect: () => Promise<Answer>,
): Promise<Answer & { readonly replayed: boolean }> {
  const now = timestamp(work.now);
  const { idempotencyKey: key, ...rest } = input;
  const keyed = { ...request, key };
  const fingerprint = sha256(canonicalJson(rest));
  const first = await findAnswer(work, keyed);
  if (first !== undefined && first.expiresAt > now) {
    if (first.fingerprint === fingerprint) {
      return { status: first.status, body: first.body, replayed: true };
    }
    throw new ServiceError('idempotency_key_reused', 'This idempotency key was used for a different request');
  }
  // Not updated: `prune` looks at the oldest rows, and the new one belongs at the end.
  if (first !== undefined) await deleteAnswer(work.db, { ...keyed, storeId: work.storeId });
  const { status, body } = await effect();
  await insert(work, 'idempotencyKeys', {
    ...keyed,
    fingerprint,
    status,
    body,
    createdAt: now,
    expiresAt: timestamp(work.now + retentionMs),
  });
  return { status, body, replayed: false };
}

/** JSON with sorted object members, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A replacer function for JSON.stringify would take three times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) result[name] = sorted(Reflect.get(value, name));
  return result;
}
