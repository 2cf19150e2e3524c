import { sha256 } from '../../base/sha256.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import type { Locks, LongChange } from '../storage/core/storage.ts';
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

export type KeptAnswer = Answer & { readonly replayed: boolean };

/** What a request does that reads or replaces a whole store. Its `db` reads a snapshot. */
export interface LongWork extends Work {
  readonly isInSteps: boolean;
  readonly endSnapshot: LongChange['endSnapshot'];
  readonly save: LongChange['save'];
  /** Makes the answer in one transaction. Nothing has changed the store since the snapshot if `isFresh`. */
  finish(answer: (work: Work, isFresh: boolean) => Promise<object>): Promise<KeptAnswer>;
}

/**
 * The stored answer to a request, if it has been applied. Throws `idempotency_key_reused` for another request with the same
 * key, and `idempotency_in_progress` while the first is running.
 */
export async function replay(work: Work, request: OnceRequest): Promise<KeptAnswer | undefined> {
  const { operation, targetId, key, locks } = request;
  // Sent together: PostgreSQL reads the answer once it has the lock.
  const [isClaimed, first] = await Promise.all([
    locks.claim([operation, targetId, key]),
    findAnswer(work, request, timestamp(work.now)),
  ]);
  if (!isClaimed) throw inProgress();
  if (first === undefined) return undefined;
  if (first.fingerprint !== fingerprintOf(request)) {
    throw new ServiceError(
      'idempotency_key_reused',
      'This idempotency key was used for a different request.',
    );
  }
  return { status: first.status, body: JSON.parse(first.body), text: first.body, replayed: true };
}

/**
 * Applies a request once per key. The effect and the answer are stored in one transaction. The same
 * request again gets the stored answer. Throws as `replay` does. Refusals are not stored, so that a corrected request can be
 * sent with the same key.
 */
export async function applyOnce(
  work: Work,
  request: OnceRequest,
  effect: () => Promise<Answer>,
): Promise<KeptAnswer> {
  const { operation, targetId, key, locks, exclusion } = request;
  const first = await replay(work, request);
  if (first !== undefined) return first;

  const now = timestamp(work.now);
  await excludeOthers(locks, exclusion);
  if (Math.random() < sweepShare) await deleteExpiredAnswers(work, now);
  const answer = await effect();
  const text = JSON.stringify(answer.body);
  const isStored = await insertAnswer(work, {
    operation,
    targetId,
    key,
    fingerprint: fingerprintOf(request),
    status: answer.status,
    body: text,
    createdAt: now,
    expiresAt: timestamp(work.now + retentionMs),
  });
  // The lock should prevent this. If it does not, the refusal rolls the effect back.
  if (!isStored) throw inProgress();
  return { status: answer.status, body: answer.body, text, replayed: false };
}

function fingerprintOf({ input }: OnceRequest): string {
  const { idempotencyKey: _, ...rest } = input;
  return sha256(canonicalJson(rest));
}

function inProgress(): ServiceError {
  const detail = 'The first request with this idempotency key is still running.';
  return new ServiceError('idempotency_in_progress', detail, { headers: { 'Retry-After': '1' } });
}
