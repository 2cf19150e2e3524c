import { ServiceError } from '../model/errors.ts';
import type { Locks } from '../storage/core/storage.ts';

/** How a change keeps other changes to the store away: it takes its turn among them, or stops them all. */
export type Exclusion = 'takeTurn' | 'takeStore';

/** Throws `restore_in_progress` while the store is being restored. */
export async function excludeOthers(locks: Locks, exclusion: Exclusion): Promise<void> {
  if (await locks[exclusion]()) return;
  throw new ServiceError('restore_in_progress', 'The store is being restored. Try again when that is done.');
}
