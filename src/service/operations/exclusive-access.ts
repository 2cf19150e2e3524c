import { ServiceError } from '../model/errors.ts';
import type { Locks } from '../storage/core/storage.ts';

/** Which lock of the store a change takes: its turn among the changes, or the whole store, as a restore does. */
export type Exclusion = 'acquireChange' | 'acquireRestore';

/** Throws `restore_in_progress` while the store is being restored. */
export async function excludeOthers(locks: Locks, exclusion: Exclusion): Promise<void> {
  if (await locks[exclusion]()) return;
  throw new ServiceError('restore_in_progress', 'The store is being restored. Try again later.');
}
