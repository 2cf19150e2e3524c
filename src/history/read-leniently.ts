import { readdirSync } from 'node:fs';
import path from 'node:path';
import { HistoryError } from './errors.ts';
import { nodeFileSystem, readText } from './journal/files/files.ts';
import type { HistoryRecord } from './journal/history-record.ts';
import { listLogs } from './journal/log-folder.ts';
import type { LogName } from './journal/log-name.ts';
import { parseLog } from './journal/parse-log.ts';
import { rulesOf } from './operation-rules.ts';

/** As many as anybody looks through while they wait for Tab. */
const maxRecords = 200;

/** The newest records of a store, newest first, for completion: of these operations, or of all. */
export function readNewestRecords(folder: string, operations: readonly string[] | null): HistoryRecord[] {
  const wanted = operations?.flatMap((operation) => [operation, ...(rulesOf(operation).recordedWith ?? [])]);
  return readLeniently(folder, (log) => wanted?.includes(log.operation) ?? true, maxRecords);
}

/** Changes that are open for another store than the one in use. */
export interface OpenElsewhere {
  readonly baseUrl: string;
  readonly storeId: string;
  /** The profile that sent the newest one. */
  readonly profile: string;
  readonly count: number;
}

/** What is open in the histories beside `ownFolder`. */
export function findOpenElsewhere(ownFolder: string): OpenElsewhere[] {
  return foldersBeside(ownFolder).flatMap((folder) => {
    const records = readLeniently(folder, ({ status }) => status !== 'closed', Number.POSITIVE_INFINITY);
    const open = records.filter((record) => record.open);
    const [newest] = open;
    if (newest === undefined) return [];
    const { baseUrl, storeId, profile } = newest;
    return [{ baseUrl, storeId, profile, count: open.length }];
  });
}

function foldersBeside(ownFolder: string): string[] {
  const parent = path.dirname(ownFolder);
  try {
    return readdirSync(parent)
      .map((name) => path.join(parent, name))
      .filter((folder) => folder !== ownFolder);
  } catch {
    return [];
  }
}

/**
 * The records of the newest logs, newest first, until there are `max`. Takes no lock, and passes over what cannot be used: a
 * change says so.
 */
function readLeniently(folder: string, isWanted: (log: LogName) => boolean, max: number): HistoryRecord[] {
  const files = { fileSystem: nodeFileSystem, platform: process.platform };
  const records: HistoryRecord[] = [];
  const logs = skipUnreadable(() => listLogs({ folder, files })) ?? [];
  for (const log of logs.reverse().filter(isWanted)) {
    if (records.length >= max) break;
    const file = path.join(folder, log.name);
    const found = skipUnreadable(() => parseLog(readText(files, file)?.text ?? '', log, file).records);
    records.push(...[...(found?.values() ?? [])].reverse());
  }
  return records.slice(0, max);
}

function skipUnreadable<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof HistoryError) return null;
    throw error;
  }
}
