import { readdirSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, readText } from './journal/files/files.ts';
import type { HistoryRecord } from './journal/history-record.ts';
import { listLogs } from './journal/log-folder.ts';
import { parseLog } from './journal/parse-log.ts';

/** Changes that are open for another store than the one in use. */
export interface OpenElsewhere {
  readonly baseUrl: string;
  readonly storeId: string;
  /** The profile that sent the newest one. */
  readonly profile: string;
  readonly count: number;
}

/** What is open in the histories beside `ownFolder`. Passes over what it cannot read: a change of that store says so. */
export function findOpenElsewhere(ownFolder: string): OpenElsewhere[] {
  return foldersBeside(ownFolder).flatMap((folder) => {
    const open = readOpen(folder);
    const [newest] = open.reverse();
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

function readOpen(folder: string): HistoryRecord[] {
  const files = { fileSystem: nodeFileSystem, platform: process.platform };
  try {
    return listLogs({ path: folder, files })
      .filter(({ status }) => status !== 'closed')
      .flatMap((log) => {
        const text = readText(files, path.join(folder, log.name))?.text;
        const parsed = text === undefined ? null : parseLog(text, log);
        if (parsed === null || 'kind' in parsed) return [];
        return [...parsed.records.values()].filter(({ open }) => open);
      });
  } catch {
    return [];
  }
}
