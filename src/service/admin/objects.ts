import { notFound, ServiceError } from '../model/errors.ts';
import { timestamp } from '../model/time.ts';
import { validate } from '../model/validation.ts';
import { addEvidence, newEvidence } from '../operations/disputes.ts';
import { addReclaim, newReclaim } from '../operations/reclaims.ts';
import type { Work } from '../operations/unit-of-work.ts';
import type { Storage } from '../storage/core/storage.ts';
import {
  newestBackups,
  newestChanges,
  newestRows,
  type ObjectQuery,
  selectStoreId,
  setClosed,
} from '../storage/operator/objects.ts';
import { deleteOld } from '../storage/operator/prune.ts';
import { deleteEndpoint } from '../storage/queries/endpoints.ts';
import { operate } from './operate.ts';

/** Objects of stores, as the person who runs the service sees and changes them. */

/** Each list has the newest first. */
export function listReclaimNotices(storage: Storage, query: ObjectQuery) {
  return storage.read((db) => newestRows(db, 'subdomainReclaims', query));
}

export function listAllDisputes(storage: Storage, query: ObjectQuery) {
  return storage.read((db) => newestRows(db, 'disputes', query));
}

export function listAllBackups(storage: Storage, query: ObjectQuery) {
  return storage.read((db) => newestBackups(db, query));
}

/** Without secrets. */
export async function listAllEndpoints(storage: Storage, query: ObjectQuery) {
  const rows = await storage.read((db) => newestRows(db, 'endpoints', query));
  return rows.map(({ maskedUrl, events, enabled, ...row }) => ({
    ...row,
    url: maskedUrl,
    events: JSON.parse(events) as string[],
    enabled: enabled === 1,
  }));
}

/** Changes by operators, newest first. */
export function listOperatorLog(storage: Storage, query: ObjectQuery) {
  return storage.read((db) => newestChanges(db, query));
}

/** Adds a notice that `reclaim.appeal` appeals. Rejects with a ServiceError: `not_found`, `validation_failed`. */
export async function giveReclaimNotice(storage: Storage, storeId: string, input: object) {
  const notice = validate(newReclaim, input);
  return operate(storage, storeId, 'reclaims add', (work) => addReclaim(work, notice));
}

/** Adds evidence that `disputes.show` shows. Rejects with a ServiceError: `not_found`, `validation_failed`. */
export async function submitEvidence(storage: Storage, storeId: string, disputeId: string, input: object) {
  const evidence = validate(newEvidence, input);
  const add = (work: Work) => addEvidence(work, disputeId, evidence, work.actor);
  return operate(storage, storeId, 'evidence add', add);
}

/** Closes a notice: it can no longer be appealed. */
export async function closeReclaim(storage: Storage, id: string, only?: string) {
  const close = async ({ db, storeId, now }: Work) => {
    if ((await setClosed(db, { storeId, id, at: timestamp(now) })).changes > 0) return;
    throw new ServiceError('state_conflict', `Reclaim notice ${id} is already closed`);
  };
  return changeObject(storage, 'subdomainReclaims', 'reclaims close', id, only, close);
}

/** Removes a backup. */
export async function removeBackup(storage: Storage, id: string, storeId?: string) {
  return changeObject(storage, 'backups', 'backups remove', id, storeId, (work) =>
    deleteOld(work, 'backups', [id]),
  );
}

/** Removes an endpoint, its deliveries and its secret, so that no restore makes it work again. */
export async function removeEndpoint(storage: Storage, id: string, storeId?: string) {
  return changeObject(storage, 'endpoints', 'endpoints remove', id, storeId, (work) =>
    deleteEndpoint(work, id),
  );
}

const nouns = { subdomainReclaims: 'Reclaim notice', backups: 'Backup', endpoints: 'Endpoint' } as const;

/** Rejects with a ServiceError `not_found`, also for an object of another store than `only`. */
async function changeObject(
  storage: Storage,
  table: keyof typeof nouns,
  command: string,
  id: string,
  only: string | undefined,
  change: (work: Work) => Promise<unknown>,
): Promise<{ readonly id: string; readonly storeId: string }> {
  const storeId = await storage.read((db) => selectStoreId(db, table, id));
  if (storeId === undefined || (only !== undefined && only !== storeId)) throw notFound(nouns[table], id);
  return operate(storage, storeId, command, async (work) => {
    await change(work);
    return { id, storeId };
  });
}
