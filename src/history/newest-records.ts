import { HistoryError } from './errors.ts';
import { nodeFileSystem } from './journal/files/files.ts';
import type { HistoryRecord } from './journal/history-record.ts';
import { listLogs, readLog, type StoreIdentity } from './journal/log-folder.ts';
import { rulesOf } from './operation-rules.ts';

/** As many as anybody looks through while they wait for Tab. */
const maxRecords = 200;

/**
 * The newest records of a store, newest first, for completion: of these operations, or of all. Takes no lock, and passes over
 * logs that cannot be used. Empty where there is no folder.
 */
export function readNewestRecords(
  path: string,
  store: StoreIdentity,
  operations: readonly string[] | null,
): HistoryRecord[] {
  const files = { fileSystem: nodeFileSystem, platform: process.platform };
  const logs = skipUnreadable(() => listLogs({ path, files })) ?? [];
  const wanted = operations?.flatMap((operation) => [operation, ...(rulesOf(operation).recordedWith ?? [])]);
  const records: HistoryRecord[] = [];
  for (const log of logs.reverse()) {
    if (records.length >= maxRecords) break;
    if (wanted !== undefined && !wanted.includes(log.operation)) continue;
    const found = skipUnreadable(() => readLog({ path, files, store }, log));
    records.push(...[...(found?.records.values() ?? [])].reverse());
  }
  return records.slice(0, maxRecords);
}

function skipUnreadable<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof HistoryError) return null;
    throw error;
  }
}
