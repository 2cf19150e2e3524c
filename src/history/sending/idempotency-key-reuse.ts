import { KeyReusedError } from '../errors.ts';
import { isOpen } from '../records/outline.ts';
import { type HistoryRecord, isUntold } from '../records/record.ts';

/** How long the same command reuses the key of an open record: services forget keys, often after 24 hours. */
export const KEY_REUSE_MS = 20 * 3_600_000;

/**
 * The record that a command with the user's own key belongs to, or null if the key is fresh.
 * `earlier` are the records of this operation and store with this key, newest first.
 *
 * A key counts as used once something with it was, or may yet be, applied. After a definite refusal, or if nothing was
 * sent, the same key may be used with corrected arguments.
 * Throws a KeyReusedError if the key was used for another command.
 */
export function recordOfKey(earlier: readonly HistoryRecord[], fingerprint: string): HistoryRecord | null {
  const used = earlier.filter((record) => isOpen(record) || record.state === 'applied');
  const other = used.find((record) => record.fingerprint !== fingerprint);
  if (other !== undefined) throw new KeyReusedError(other);
  return used.find((record) => record.state === 'applied') ?? used[0] ?? null;
}

/**
 * The record that the same command, given again without a key, continues, or null: one of a keyed operation that is open, or
 * one that was applied without its answer reaching the user.
 * `twins` are records of this command, newest first.
 */
export function recordToContinue(twins: readonly HistoryRecord[], now: number): HistoryRecord | null {
  const young = (record: HistoryRecord) => now - Date.parse(record.createdAt) < KEY_REUSE_MS;
  const continues = (record: HistoryRecord) =>
    isUntold(record) || (record.class === 'keyed' && isOpen(record));
  return twins.find((record) => continues(record) && young(record)) ?? null;
}
