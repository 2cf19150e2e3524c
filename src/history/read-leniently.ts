import { readdirSync } from 'node:fs';
import path from 'node:path';
import { HistoryError, historyFiles } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';
import { openReader, type Scope } from './snapshot.ts';

/** As many as anybody looks through while they wait for Tab. */
const maxRecords = 200;

/** The newest records of a store, newest first, for completion: of these operations, or of all. */
export function readNewestRecords(folder: string, operations: readonly string[] | null): HistoryRecord[] {
  return readFolder(folder, { concerning: operations ?? undefined }, maxRecords);
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
    const open = readFolder(folder, { open: true }).filter((record) => record.open);
    const [newest] = open;
    if (newest === undefined) return [];
    const { baseUrl, storeId, profile } = newest;
    return [{ baseUrl, storeId, profile, count: open.length }];
  });
}

/** Takes no lock, and passes over what cannot be used: a change says so. */
function readFolder(folder: string, scope: Scope, max = Number.POSITIVE_INFINITY): HistoryRecord[] {
  const found: HistoryRecord[] = [];
  try {
    const { snapshot } = openReader({ folder, files: historyFiles(process.platform), store: null });
    for (const record of snapshot().usable(scope)) if (found.push(record) >= max) break;
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
  return found;
}
