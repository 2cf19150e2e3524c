import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { HistoryRecord } from '../../history/journal/history-record.ts';
import { overlap, rulesOf } from '../../history/operation-rules.ts';
import { textAt } from '../core/field-path.ts';
import { printable } from '../core/sanitize.ts';

/** In the folder of the store's history, which skips names that begin with a dot. */
const fileIn = (folder: string) => path.join(folder, '.store-name');

/**
 * Keeps the name that the response to a change of the store shows, because the service cannot be asked for it. A restore shows
 * none, so that of before is forgotten. `folder` is that of the store's history.
 */
export function rememberStoreName(folder: string, record: HistoryRecord, response: unknown): void {
  if (!overlap(rulesOf(record.operation).touches(record), ['store'])) return;
  const name = textAt(response, ['name']) ?? '';
  if (name === (readStoreName(folder) ?? '')) return;
  try {
    writeFileSync(fileIn(folder), name, { mode: 0o600 });
  } catch {
    // It only helps to recognize the store.
  }
}

/** The name of the store whose history is in this folder, or null if this machine has not seen it. */
export function readStoreName(folder: string): string | null {
  try {
    return readFileSync(fileIn(folder), 'utf8') || null;
  } catch {
    return null;
  }
}

/** `Juniper & Ink (4be5c0de)`, or the whole id without a name. Printable. */
export function describeStore(storeId: string, name: unknown): string {
  const isNamed = typeof name === 'string' && name.trim() !== '';
  return printable(isNamed ? `${name} (${storeId.slice(0, 8)})` : storeId);
}
