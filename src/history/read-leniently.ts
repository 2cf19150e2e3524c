import { readdirSync } from 'node:fs';
import path from 'node:path';
import { HistoryError, historyFiles } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';
import { type LogScope, openReader } from './snapshot.ts';

/** More completions than anybody reads. */
const maxRecords = 200;

/** The newest records of these operations, or of all, newest first. For completion. */
export function readNewestRecords(folder: string, operations: readonly string[] | null): HistoryRecord[] {
  return readFolder(folder, { concerning: operations ?? undefined }, maxRecords);
}

/** The open changes of a store that is not the one in use. */
export interface OpenElsewhere {
  readonly baseUrl: string;
  readonly storeId: string;
  /** The profile that sent the newest one. */
  readonly profile: string;
  readonly count: number;
}

/** The open changes in the histories beside `ownFolder`. */
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
    const open = readFolder(folder, { open: true }).filter((record) => record.open);
    const [newest] = open;
    if (newest === undefined) return [];
    const { baseUrl, storeId, profile } = newest;
    return [{ baseUrl, storeId, profile, count: open.length }];
  });
}

/** Reads without locks, and skips logs that cannot be used. A change reports those. */
function readFolder(folder: string, scope: LogScope, max = Number.POSITIVE_INFINITY): HistoryRecord[] {
  const found: HistoryRecord[] = [];
  try {
    const { snapshot } = openReader({ folder, files: historyFiles(process.platform), store: null });
    for (const record of snapshot().usable(scope)) if (found.push(record) >= max) break;
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
  return found;
}
