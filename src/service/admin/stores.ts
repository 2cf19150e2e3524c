import { initialSettings } from '../model/store-fields.ts';
import { addStore, type NewStore } from '../operations/stores.ts';
import type { Storage } from '../storage/core/storage.ts';
import { listAllStores } from '../storage/queries/stores.ts';

/** Makes a store. Rejects with a ServiceError: `validation_failed`, `slug_taken`, or `duplicate` for the id. */
export async function createStore(storage: Storage, store: NewStore) {
  return storage.write((db) => addStore(db, store, initialSettings, Date.now()));
}

/** Every store, by name. */
export async function listStores(storage: Storage) {
  return storage.read(listAllStores);
}
