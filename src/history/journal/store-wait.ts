import { createFile, readText, removeQuietly } from '../../base/files/files.ts';
import { asObject, parseJson } from '../../base/json.ts';
import { HistoryError } from '../record/errors.ts';
import type { Journal } from './journal.ts';
import { fileOf } from './log-folder.ts';

/** The file with the wait. The history skips names that begin with a dot. */
const waitFile = '.wait.json';

/** The longest time that a wait is kept for later commands. */
const maxKeptMs = 3_600_000;

/**
 * Keeps for later commands that the store does not want to be asked before `until`, in epoch milliseconds. It is not synced: where
 * it is lost, the store asks again.
 */
export function keepStoreWait(journal: Journal, until: number): void {
  const now = journal.now();
  if (Math.min(until - now, maxKeptMs) <= storeWait(journal)) return;
  const draft = fileOf(journal, `${waitFile}.${journal.randomBytes(8).toString('hex')}.tmp`);
  try {
    createFile(journal.files, draft, JSON.stringify({ until, askedAt: now }), { sync: false });
    journal.files.fileSystem.renameSync(draft, fileOf(journal, waitFile));
  } catch {
    // A wait that is lost is asked for again. The outcome must not fail because of it.
    removeQuietly(journal.files, draft);
  }
}

/** Milliseconds for which the store has asked to send it nothing more; 0 once an hour has passed. */
export function storeWait(journal: Journal): number {
  const { until, askedAt } = asObject(parseJson(readWait(journal)));
  if (typeof until !== 'number' || typeof askedAt !== 'number') return 0;
  const now = journal.now();
  const age = now - askedAt;
  // If the clock is outside that hour, the wait is over, or the clock was set.
  if (!(age >= 0 && age < maxKeptMs)) return 0;
  return Math.max(0, Math.min(until - now, maxKeptMs - age));
}

function readWait(journal: Journal): string | null {
  try {
    return readText(journal.files, fileOf(journal, waitFile))?.text ?? null;
  } catch (error) {
    if (error instanceof HistoryError) return null;
    throw error;
  }
}
