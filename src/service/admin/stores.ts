import { notFound } from '../model/errors.ts';
import { initialSettings } from '../model/store-fields.ts';
import { timestamp } from '../model/time.ts';
import { addStore, type NewStore } from '../operations/stores.ts';
import type { Storage } from '../storage/core/storage.ts';
import { markDeleted, measure, pageOfStores } from '../storage/operator/objects.ts';
import { logOperation, operate } from './operate.ts';

/** Makes a store. Rejects with a ServiceError: `validation_failed`, `slug_taken`, or `duplicate` for the id. */
export async function createStore(storage: Storage, options: NewStore) {
  return storage.write(async (db) => {
    const store = await addStore(db, options, initialSettings, Date.now());
    await logOperation(storage, db, 'stores create', store.id, store.id);
    return store;
  });
}

/** Stores by name, without deleted ones. `after` is the id of the last store of the page before. */
export async function listStores(storage: Storage, page: Parameters<typeof pageOfStores>[1]) {
  return storage.read((db) => pageOfStores(db, page));
}

/** What goes with a store. Rejects with a ServiceError `not_found` if it does not exist. */
export async function measureStore(storage: Storage, storeId: string) {
  const found = await storage.forStore(storeId).read((db) => measure({ db, storeId }));
  if (found === undefined) throw notFound('Store', storeId);
  return found;
}

/**
 * Deletes a store: from now on nobody finds it, its keys are revoked, nothing is sent, and its slug is free. `prune`
 * removes its rows. Rejects with a ServiceError `not_found` if it does not exist.
 */
export async function deleteStore(storage: Storage, storeId: string): Promise<{ readonly id: string }> {
  return operate(storage, storeId, 'stores delete', async (work) => {
    await markDeleted(work, timestamp(work.now));
    return { id: storeId };
  });
}
