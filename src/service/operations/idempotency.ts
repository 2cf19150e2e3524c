import { canonicalJson, sha256 } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import type { Locks } from '../storage/core/storage.ts';
import {
  deleteExpiredAnswers,
  findAnswer,
  insertAnswer,
  type KeyedRequest,
} from '../storage/queries/idempotency-keys.ts';
import { type Exclusion, excludeOthers } from './exclusive-access.ts';
import type { Work } from './unit-of-work.ts';

const retentionMs = daysInMs(2);

/** Share of the requests that also delete expired answers. */
const sweepShare = 1 / 512;

export interface Answer {
  readonly status: number;
  readonly body: object;
  /** The body as JSON. */
  readonly text?: string | undefined;
}

export interface OnceRequest extends KeyedRequest {
  readonly input: Readonly<Record<string, unknown>>;
  readonly locks: Locks;
  readonly exclusion: Exclusion;
}

/**
 * Applies a request once per key. The effect and the answer are stored in one transaction. The same
 * request again gets the stored answer. Throws `idempotency_key_reused` for another request with the same key, and
 * `idempotency_in_progress` while the first is running. Refusals are not stored, so that a corrected request can be sent
 * with the same key.
 */
export async function applyOnce(
  work: Work,
  request: OnceRequest,
  effect: () => Promise<Answer>,
): Promise<Answer & { readonly replayed: boolean }> {
  const { operation, targetId, key, input, locks, exclusion } = request;
  const { idempotencyKey: _, ...rest } = input;
  const fingerprint = sha256(canonicalJson(rest));
  const now = timestamp(work.now);

  // Sent together: PostgreSQL reads the answer once it has the lock.
  const [isClaimed, first] = await Promise.all([
    locks.claim([operation, targetId, key]),
    findAnswer(work, request, now),
  ]);
  if (!isClaimed) throw inProgress();
  if (first !== undefined) {
    if (first.fingerprint !== fingerprint) {
      throw new ServiceError(
        'idempotency_key_reused',
        'This idempotency key was used for a different request.',
      );
    }
    return { status: first.status, body: JSON.parse(first.body), text: first.body, replayed: true };
  }

  await excludeOthers(locks, exclusion);
  if (Math.random() < sweepShare) await deleteExpiredAnswers(work, now);
  const answer = await effect();
  const text = JSON.stringify(answer.body);
  const isStored = await insertAnswer(work, {
    operation,
    targetId,
    key,
    fingerprint,
    status: answer.status,
    body: text,
    createdAt: now,
    expiresAt: timestamp(work.now + retentionMs),
  });
  // The lock should prevent this. If it does not, the refusal rolls the effect back.
  if (!isStored) throw inProgress();
  return { status: answer.status, body: answer.body, text, replayed: false };
}

function inProgress(): ServiceError {
  const detail = 'The first request with this idempotency key is still running.';
  return new ServiceError('idempotency_in_progress', detail, { headers: { 'Retry-After': '1' } });
}
