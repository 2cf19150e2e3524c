import { canonicalJson } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';
import { additionHeaders } from '../../contract/headers.ts';
import { problems } from '../../contract/problem.ts';
import { ServiceError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import { insert } from '../storage/core/statement.ts';
import {
  deleteResponse,
  findResponse,
  type KeyedRequest,
  type StoredResponse,
} from '../storage/queries/idempotency-keys.ts';
import type { Work } from './unit-of-work.ts';

const retentionMs = daysInMs(2);

export interface OperationResponse {
  readonly status: number;
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request with an idempotency key. */
export interface Keyed extends KeyedRequest {
  /** What has to be the same if the key is: the valid body without the key. */
  readonly content: unknown;
}

/** Undoes the transaction of a request that was answered before. */
export class AppliedBefore extends Error {
  override readonly name = 'AppliedBefore';
  readonly response: OperationResponse;

  constructor(response: OperationResponse) {
    super('the key has a response');
    this.response = response;
  }
}

/**
 * Applies a request once per key. The effect and the response are stored in one transaction, which has to hold the lock of the
 * store. The same request again throws {@link AppliedBefore}, or the stored refusal; another request with the same key throws
 * `idempotency_key_reused`. If it throws, the transaction has to be undone.
 *
 * The key is looked up while the effect runs: PostgreSQL answers their first statements in one round trip. What the effect has
 * done or refused counts only if the key is new.
 */
export async function applyOnce(
  work: Work,
  keyed: Keyed,
  effect: () => Promise<OperationResponse>,
): Promise<OperationResponse> {
  const fingerprint = fingerprintOf(keyed);
  const [first, result] = await Promise.allSettled([findFirst(work, keyed, fingerprint), effect()]);
  if (first.status === 'rejected') throw first.reason;
  if (first.value !== undefined) throw new AppliedBefore(replay(first.value));
  if (result.status === 'rejected') throw result.reason;
  await keep(work, keyed, { fingerprint, ...result.value });
  return result.value;
}

/**
 * Makes a refusal the response to its key, so that what was refused is never applied by the same request arriving late. If the
 * same request was answered meanwhile, that is the response to this one, too: returns it, or throws it.
 */
export async function keepRefusal(
  work: Work,
  keyed: Keyed,
  refusal: ServiceError,
): Promise<OperationResponse | null> {
  const fingerprint = fingerprintOf(keyed);
  const first = await findFirst(work, keyed, fingerprint);
  if (first !== undefined) return replay(first);
  const { code, message, fields, existing, headers } = refusal;
  const body = JSON.stringify({ code, message, fields, existing });
  await keep(work, keyed, { fingerprint, status: problems[code].status, body, headers });
  return null;
}

/** A refusal that is the response to its key. */
export function keptRefusal(
  { code, message, fields, existing }: Pick<ServiceError, 'code' | 'message' | 'fields' | 'existing'>,
  headers: OperationResponse['headers'],
): ServiceError {
  return new ServiceError(code, message, {
    fields,
    existing,
    headers: { ...headers, [additionHeaders.kept]: 'true' },
  });
}

/** The response that the key has, unless it is expired. */
async function findFirst(work: Work, keyed: Keyed, fingerprint: string): Promise<StoredResponse | undefined> {
  const first = await findResponse(work, keyed);
  if (first === undefined) return undefined;
  if (first.expiresAt <= timestamp(work.now)) {
    const { operation, targetId, key } = keyed;
    // Not updated: `prune` looks at the oldest rows, and the new one belongs at the end.
    await deleteResponse(work.db, { operation, targetId, key, storeId: work.storeId });
    return undefined;
  }
  if (first.fingerprint === fingerprint) return first;
  throw new ServiceError('idempotency_key_reused', 'This idempotency key was used for a different request');
}

/** Returns a stored response, or throws a stored refusal. */
function replay({ status, body, headers: kept }: StoredResponse): OperationResponse {
  const headers = { ...JSON.parse(kept ?? '{}'), [additionHeaders.replayed]: 'true' };
  if (status >= 400) throw keptRefusal(JSON.parse(body), headers);
  return { status, body, headers };
}

async function keep(
  work: Work,
  { operation, targetId, key }: Keyed,
  response: OperationResponse & { readonly fingerprint: string },
): Promise<void> {
  const { fingerprint, status, body, headers = null } = response;
  await insert(work, 'idempotencyKeys', {
    operation,
    targetId,
    key,
    fingerprint,
    status,
    body,
    headers,
    expiresAt: timestamp(work.now + retentionMs),
  });
}

function fingerprintOf({ content }: Keyed): string {
  return sha256(canonicalJson(content));
}
