import { validate } from '../model/validation.ts';
import { addEvidence, newEvidence } from '../operations/disputes.ts';
import { addReclaim, newReclaim } from '../operations/reclaims.ts';
import type { Work } from '../operations/unit-of-work.ts';
import type { Storage } from '../storage/core/storage.ts';

/** Changes a store. Rejects with a ServiceError: `not_found` if it does not exist. */
export async function changeStore<Result>(
  storage: Storage,
  storeId: string,
  actor: string,
  change: (work: Work) => Promise<Result>,
): Promise<Result> {
  const now = Date.now();
  return storage.forStore(storeId).change((db) => change({ db, storeId, actor, now }));
}

/** Adds a notice that operation 10 can appeal. Rejects as {@link changeStore} does, or with `validation_failed`. */
export async function giveReclaimNotice(storage: Storage, storeId: string, input: object) {
  const notice = validate(newReclaim, input);
  return changeStore(storage, storeId, 'operator', (work) => addReclaim(work, notice));
}

/** Adds evidence that operation 7 shows. Rejects as {@link changeStore} does, or with `validation_failed`. */
export async function submitEvidence(storage: Storage, storeId: string, disputeId: string, input: object) {
  const evidence = validate(newEvidence, input);
  return changeStore(storage, storeId, 'operator', (work) =>
    addEvidence(work, disputeId, evidence, work.actor),
  );
}
