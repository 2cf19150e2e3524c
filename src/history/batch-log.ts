import * as fs from 'node:fs';
import path from 'node:path';
import {
  createFile,
  type Files,
  fileExists,
  listFolder,
  readText,
  removeQuietly,
  syncFolder,
} from './files.ts';
import { type HistoryRecord, parseRecord, recordIdPattern, serializeRecord } from './record.ts';

/*
 * Many operations of one command are written down together: to sync a file for each of them, twice, takes many times as
 * long as to send them. They share one file, `<id of the batch>.batch`, to which a line is added for each state of each
 * record. Lines that come up at the same time are synced at once, and each is on disk before its request leaves.
 *
 * The last whole line of a record is its state; a line that was cut off counts as never written. When the batch ends,
 * its records are written into files of their own, and the log is removed. A log that a killed process has left is read
 * along with the files; where a record has a file of its own, that is newer. Whoever changes one of its records takes
 * the lock of the batch, and splits the log up first.
 */

const suffix = '.batch';

/** Files that are open at the same time while a log is split up. */
const filesAtOnce = 64;

const { O_NOFOLLOW = 0, O_RDWR } = fs.constants;

export function logFile(folder: string, batch: string): string {
  return path.join(folder, batch + suffix);
}

/** The id of the batch, or null for the name of another file. */
export function batchOfName(name: string): string | null {
  const id = name.slice(0, -suffix.length);
  return name.endsWith(suffix) && recordIdPattern.test(id) ? id : null;
}

export function toLine(record: HistoryRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** The records in a log by their ids, or null where there is none. Throws a HistoryError where it cannot be read. */
export function readLog(files: Files, file: string): Map<string, HistoryRecord> | null {
  const found = readText(files, file);
  if (found === null) return null;
  const lines = new Map<string, string[]>();
  for (const line of found.text.split('\n')) {
    const [, id] = /^\{"format":\d+,"id":"([\w-]+)"/.exec(line) ?? [];
    if (id !== undefined) lines.set(id, [...(lines.get(id) ?? []), line]);
  }
  const records = new Map<string, HistoryRecord>();
  for (const [id, states] of lines) {
    for (const line of states.reverse()) {
      const parsed = parseRecord(line, id);
      if (!('record' in parsed)) continue;
      records.set(id, parsed.record);
      break;
    }
  }
  return records;
}

/** The names in the history's folder, and the records that stand in logs of batches alone. */
export function lookInto(
  files: Files,
  folder: string,
): { names: string[]; logged: Map<string, HistoryRecord> } {
  for (;;) {
    const names = listFolder(files, folder);
    const logged = new Map<string, HistoryRecord>();
    const isWhole = names.every((name) => {
      if (batchOfName(name) === null) return true;
      const records = readLog(files, path.join(folder, name));
      for (const [id, record] of records ?? []) logged.set(id, record);
      return records !== null;
    });
    for (const name of names) logged.delete(name.replace(/\.json$/, ''));
    // Otherwise one was split up just now: its records have files, which are not among the names.
    if (isWhole) return { names, logged };
  }
}

/** Writes the records of a log that have no file yet into files of their own, and removes it. Under the batch's lock. */
export async function splitLog(files: Files, folder: string, batch: string): Promise<void> {
  const log = logFile(folder, batch);
  const records = [...(readLog(files, log)?.values() ?? [])].filter(
    ({ id }) => !fileExists(files, path.join(folder, `${id}.json`)),
  );
  for (let at = 0; at < records.length; at += filesAtOnce) {
    const drafts = records.slice(at, at + filesAtOnce).map((record) => {
      const draft = path.join(folder, `.${record.id}.tmp`);
      // One that a killed process has left: nobody else may be at work here.
      removeQuietly(files, draft);
      createFile(files, draft, serializeRecord(record), { sync: false });
      return { draft, file: path.join(folder, `${record.id}.json`) };
    });
    await Promise.all(drafts.map(({ draft }) => syncFile(draft)));
    for (const { draft, file } of drafts) files.fileSystem.renameSync(draft, file);
  }
  syncFolder(files, folder);
  removeQuietly(files, log);
}

/** Next to others: the disk takes in many at once hardly slower than one. */
async function syncFile(file: string): Promise<void> {
  const handle = await fs.promises.open(file, O_RDWR | O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
