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

const keptForMs = daysInMs(2);

/** Share of the requests that also remove what has expired. */
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
 * Applies a request once for each key, in the transaction of `work`: either the effect and the answer are kept, or
 * neither is. The same request again gets the first answer; another one with the same key is refused with
 * `idempotency_key_reused`, one while the first is being worked on with `idempotency_in_progress`. Refusals are not
 * kept, so that a request may be mended and sent again.
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

  if (!(await locks.claim([operation, targetId, key]))) throw inProgress();
  const first = await findAnswer(work, request, now);
  if (first !== undefined) {
    if (first.fingerprint !== fingerprint) {
      throw new ServiceError('idempotency_key_reused', 'Another request has been made with this key.');
    }
    return { status: first.status, body: JSON.parse(first.body), text: first.body, replayed: true };
  }

  await excludeOthers(locks, exclusion);
  // They count no more, whether they are there or not.
  if (Math.random() < sweepShare) await deleteExpiredAnswers(work, now);
  const answer = await effect();
  const text = JSON.stringify(answer.body);
  const isKept = await insertAnswer(work, {
    operation,
    targetId,
    key,
    fingerprint,
    status: answer.status,
    body: text,
    createdAt: now,
    expiresAt: timestamp(work.now + keptForMs),
  });
  // The lock keeps that from happening; should it ever not, nothing of this has happened.
  if (!isKept) throw inProgress();
  return { status: answer.status, body: answer.body, text, replayed: false };
}

function inProgress(): ServiceError {
  const detail = 'The first request with this key is still being worked on.';
  return new ServiceError('idempotency_in_progress', detail, { headers: { 'Retry-After': '1' } });
}
