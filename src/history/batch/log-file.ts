import path from 'node:path';
import { HistoryError } from '../errors.ts';
import {
  createFile,
  type Files,
  listFolder,
  readText,
  removeQuietly,
  renameDurably,
} from '../files/files.ts';
import type { HistoryProblem } from '../history.ts';
import { recordIdPattern } from '../records/outline.ts';
import { mayMatch, type RecordQuery } from '../records/query.ts';
import { checkRecord, type HistoryRecord } from '../records/record.ts';
import { type LoggedLines, linesById, mergeLines } from './parse-log.ts';

/*
 * Many operations of one command are written down together: to sync a file for each of them, twice, takes many times as
 * long as to send them. They share one file, `<id of the batch>.batch`, to which a line is added for each state of each
 * record: the whole record first, then what changes in it. Lines that come up at the same time are synced at once, and
 * each is on disk before its request leaves. Space is taken in advance, so a process that was killed leaves blanks at the
 * end. A line that was cut off counts as never written.
 *
 * The log stays where its records are kept. One that is changed after its batch gets a file of its own, which is newer
 * than what the log says. Whoever changes one of the records takes the lock of the batch.
 */

const suffix = '.batch';

export function logFile(folder: string, batch: string): string {
  return path.join(folder, batch + suffix);
}

/** The id of the batch, or null for the name of another file. */
export function batchOfName(name: string): string | null {
  const id = name.slice(0, -suffix.length);
  return name.endsWith(suffix) && recordIdPattern.test(id) ? id : null;
}

/** A record, or what has changed in it. */
export type Line = Pick<HistoryRecord, 'format' | 'id'> & Partial<HistoryRecord>;

/** Its fields in this order: `format` and `id` come first. */
export function toLine(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * The lines of records that may match the query; null where there is no such log. Throws a HistoryError where it cannot be
 * read.
 */
export function readLog(files: Files, file: string, query: RecordQuery = {}): LoggedLines | null {
  const found = readText(files, file);
  if (found === null) return null;
  return mayMatch(found.text, query) ? linesById(found.text) : new Map();
}

/** The record that the lines make, the reason why it cannot be used, or null where its first line was cut off. */
export function recordOf(
  id: string,
  lines: readonly string[],
): { record: HistoryRecord } | { problem: string } | null {
  const merged = mergeLines(lines);
  if (merged === null) return null;
  const checked = checkRecord(merged, id);
  return 'problem' in checked ? { problem: `has a record ${id} that ${checked.problem}` } : checked;
}

function tryReadLog(
  files: Files,
  file: string,
  query?: RecordQuery,
): LoggedLines | null | Required<HistoryProblem> {
  try {
    return readLog(files, file, query);
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    return { file, message: `cannot be read: ${error.message}`, unreadableLog: error };
  }
}

/**
 * The names in the history's folder, what stands of records in logs alone, with the file of their log, and the logs that
 * cannot be read.
 */
export function lookInto(
  files: Files,
  folder: string,
  query?: RecordQuery,
): {
  names: string[];
  logged: Map<string, { file: string; lines: string[] }>;
  unreadable: Required<HistoryProblem>[];
} {
  const names = listFolder(files, folder);
  const unreadable: Required<HistoryProblem>[] = [];
  const logged = new Map<string, { file: string; lines: string[] }>();
  for (const name of names) {
    if (batchOfName(name) === null) continue;
    const file = path.join(folder, name);
    const found = tryReadLog(files, file, query) ?? [];
    if ('unreadableLog' in found) unreadable.push(found);
    else for (const [id, lines] of found) logged.set(id, { file, lines });
  }
  for (const name of names) logged.delete(name.replace(/\.json$/, ''));
  return { names, logged, unreadable };
}

/**
 * Takes records out of a log, and the log away that has none left; false where it cannot be read. Under the batch's lock.
 */
export async function forget(
  files: Files,
  folder: string,
  batch: string,
  forgotten: ReadonlySet<string>,
): Promise<boolean> {
  const file = logFile(folder, batch);
  const lines = tryReadLog(files, file);
  if (lines === null) return true;
  if ('unreadableLog' in lines) return false;
  const left = [...lines]
    // What was cut off is no record, which nobody could ever forget.
    .filter(([id, states]) => !forgotten.has(id) && recordOf(id, states) !== null)
    .flatMap(([, states]) => states);
  if (left.length === 0) removeQuietly(files, file);
  if (left.length === 0 || ![...lines.keys()].some((id) => forgotten.has(id))) return true;
  const draft = path.join(folder, `.${batch}.tmp`);
  // One that a killed process has left: nobody else may be at work here.
  removeQuietly(files, draft);
  createFile(files, draft, left.map((line) => `${line}\n`).join(''), { sync: true });
  await renameDurably(files, draft, file);
  return true;
}
