import { canonicalJson, sha256 } from './canonical-json.ts';
import { ServiceError } from './errors.ts';
import {
  deleteExpiredAnswers,
  findAnswer,
  insertAnswer,
  type KeyedRequest,
} from './storage/idempotency-keys.ts';
import { daysInMs, timestamp, type Work } from './work.ts';

const keptForMs = daysInMs(2);

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/**
 * Applies a request once for each key, in the transaction of `work`: either the effect and the answer are kept, or
 * neither is. The same request again gets the first answer; another one with the same key is refused with
 * `idempotency_key_reused`. Refusals are not kept, so that a request may be mended and sent again.
 */
export async function applyOnce(
  work: Work,
  request: KeyedRequest & { readonly input: Readonly<Record<string, unknown>> },
  effect: () => Promise<Answer>,
): Promise<Answer & { readonly replayed: boolean }> {
  const { operation, targetId, key, input } = request;
  const keyed = { operation, targetId, key };
  const fingerprint = sha256(canonicalJson({ ...input, idempotencyKey: undefined }));

  await deleteExpiredAnswers(work, timestamp(work.now));
  const first = await findAnswer(work, keyed);
  if (first !== undefined) {
    if (first.fingerprint !== fingerprint) {
      throw new ServiceError('idempotency_key_reused', 'Another request has been made with this key.');
    }
    return { status: first.status, body: JSON.parse(first.body), replayed: true };
  }

  const answer = await effect();
  await insertAnswer(work, {
    ...keyed,
    fingerprint,
    status: answer.status,
    body: JSON.stringify(answer.body),
    createdAt: timestamp(work.now),
    expiresAt: timestamp(work.now + keptForMs),
  });
  return { ...answer, replayed: false };
}
