import { readdirSync } from 'node:fs';
import path from 'node:path';
import { listLogs, readLeniently } from './journal/log-folder.ts';
import type { LogName } from './journal/log-name.ts';
import { logsWith } from './operation-rules.ts';
import { HistoryError, historyFiles } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';

/** As many as anybody looks through while they wait for Tab. */
const maxRecords = 200;

/** The newest records of a store, newest first, for completion: of these operations, or of all. */
export function readNewestRecords(folder: string, operations: readonly string[] | null): HistoryRecord[] {
  const wanted = operations?.flatMap(logsWith);
  return readFolder(folder, ({ operation }) => wanted?.includes(operation) ?? true, maxRecords);
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
  const parent = path.dirname(ownFolder);
  let names: string[];
  try {
    names = readdirSync(parent);
  } catch {
    return [];
  }
  const others = names.map((name) => path.join(parent, name)).filter((folder) => folder !== ownFolder);
  return others.flatMap((folder) => {
    const records = readFolder(
      folder,
      ({ status }) => status === 'open' || status === 'pending',
      Number.POSITIVE_INFINITY,
    );
    const open = records.filter((record) => record.open);
    const [newest] = open;
    if (newest === undefined) return [];
    const { baseUrl, storeId, profile } = newest;
    return [{ baseUrl, storeId, profile, count: open.length }];
  });
}

/** Takes no lock, and passes over what cannot be used: a change says so. */
function readFolder(folder: string, isWanted: (log: LogName) => boolean, max: number): HistoryRecord[] {
  const place = { folder, files: historyFiles(process.platform), store: null };
  try {
    return readLeniently(place, listLogs(place).filter(isWanted).reverse(), { max }).records.slice(0, max);
  } catch (error) {
    if (error instanceof HistoryError) return [];
    throw error;
  }
}
