import path from 'node:path';
import { parseJson } from '../../base/json.ts';
import { DamagedError, HistoryError, historyError } from '../errors.ts';
import {
  appendToFile,
  createFile,
  type Files,
  listFolder,
  readText,
  removeQuietly,
  renameDurably,
} from '../files/files.ts';
import { checksumState, serializeWithChecksum } from '../records/checksum.ts';
import { recordIdPattern } from '../records/outline.ts';
import { mayMatch, type RecordQuery } from '../records/query.ts';
import { checkRecord, type HistoryRecord, type ParsedRecord } from '../records/record.ts';
import { type LoggedLines, linesById, mergeLines } from './parse-log.ts';

/*
 * Many operations of one command share one file, `<id of the batch>.batch`: syncing two files for each would take many
 * times as long as sending it. A line is added for each state of each record: the whole record first, then what changes in
 * it, each with a checksum. Lines that are added at the same time are synced together, and each is on disk before its
 * request leaves. Space is allocated in advance, so a killed process leaves blanks at the end.
 *
 * An unfinished last line is no damage: it was never synced, so nothing was sent for it. Any other line that does not match
 * its checksum is.
 *
 * The log stays. A record that is changed after its batch gets a file of its own, which replaces what the log says. A process
 * that changes one of the records takes the lock of the batch.
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
  return serializeWithChecksum(line, 'line');
}

/** The log of a batch, as it is on disk. */
export interface Log {
  readonly file: string;
  /** The whole lines, by the ids of their records. */
  readonly lines: LoggedLines;
  /** `none` for the first format, whose lines had no checksum. */
  readonly checksum: 'valid' | 'none';
  /** Lines that do not match their checksum. */
  readonly damaged: readonly string[];
  /** Why the file cannot be read at all, or null. */
  readonly error: HistoryError | null;
}

/** The log, with the lines of records that may match the query; null if there is no such file. */
export function readLog(files: Files, file: string, query: RecordQuery = {}): Log | null {
  const empty: Log = { file, lines: new Map(), checksum: 'valid', damaged: [], error: null };
  try {
    const found = readText(files, file);
    if (found === null) return null;
    return mayMatch(found.text, query) ? { ...empty, ...parseLog(found.text) } : empty;
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    return { ...empty, error };
  }
}

function parseLog(text: string): Pick<Log, 'lines' | 'checksum' | 'damaged'> {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const written = lines.filter((line) => line.trim() !== '');
  // Lines of the first format had no checksum, and one that was cut off could be followed by others.
  if (written.some((line) => line.startsWith('{"format":1,') && isJson(line))) {
    return { lines: linesById([...written, last].filter(isJson)), checksum: 'none', damaged: [] };
  }
  const isWhole = (line: string) => checksumState(line) === 'valid';
  const whole = written.filter(isWhole);
  // Only its line break may be missing.
  const ending = last.slice(0, last.lastIndexOf('}') + 1);
  if (isWhole(ending)) whole.push(ending);
  const damaged = written.filter((line) => !isWhole(line));
  return { lines: linesById(whole), checksum: 'valid', damaged };
}

function isJson(line: string): boolean {
  return parseJson(line) !== undefined;
}

/** The record that its lines in the log make. */
export function recordOf({ lines, checksum }: Log, id: string): ParsedRecord {
  return checkRecord(mergeLines(lines.get(id) ?? []), checksum, id);
}

/** Throws a HistoryError if the log is damaged or cannot be read. */
export function assertWhole({ file, damaged, error }: Log): void {
  if (error !== null) throw error;
  if (damaged.length > 0) throw new DamagedError(file, describeDamage(damaged));
}

/** Continues the name of the file. */
export function describeDamage({ length }: readonly string[]): string {
  return `has ${length === 1 ? 'a line that does not match its checksum' : `${length} lines that do not match their checksums`}`;
}

/** What is in the history's folder: the names, the logs, and the log of each record that has no file of its own. */
export function readLogs(
  files: Files,
  folder: string,
  query?: RecordQuery,
): { names: string[]; logs: Log[]; logged: Map<string, Log> } {
  const names = listFolder(files, folder);
  const logs = names
    .filter((name) => batchOfName(name) !== null)
    .map((name) => readLog(files, path.join(folder, name), query))
    .filter((log) => log !== null);
  const logged = new Map(logs.flatMap((log) => [...log.lines.keys()].map((id) => [id, log] as const)));
  for (const name of names) logged.delete(name.replace(/\.json$/, ''));
  return { names, logs, logged };
}

/**
 * Removes records from a log, and the log if none is left. False if it is damaged: then it stays as it is. Under the lock
 * of the batch.
 */
export async function forget(
  files: Files,
  folder: string,
  batch: string,
  forgotten: ReadonlySet<string>,
): Promise<boolean> {
  const log = readLog(files, logFile(folder, batch));
  if (log === null) return true;
  if (log.error !== null || log.damaged.length > 0) return false;
  const left = [...log.lines].filter(([id]) => !forgotten.has(id)).flatMap(([, lines]) => lines);
  if (left.length === 0) removeQuietly(files, log.file);
  if (left.length === 0 || ![...log.lines.keys()].some((id) => forgotten.has(id))) return true;
  await writeLog(files, folder, batch, left);
  return true;
}

/**
 * Adds lines to a log that its process has closed; on disk when it returns. False, and nothing is added, if the process was
 * killed before it closed the log: then the end of it may be half a line. Under the lock of the batch.
 */
export function addLines(files: Files, folder: string, batch: string, lines: readonly string[]): boolean {
  const file = logFile(folder, batch);
  if (readText(files, file)?.text.endsWith('}\n') !== true) return false;
  try {
    appendToFile(files, file, lines.join(''));
  } catch (error) {
    throw historyError(error, 'write', file);
  }
  return true;
}

/** Replaces the log by one with these lines. Under the lock of the batch. */
export async function writeLog(
  files: Files,
  folder: string,
  batch: string,
  lines: readonly string[],
): Promise<void> {
  const draft = path.join(folder, `.${batch}.tmp`);
  // Left by a killed process: no other process works on this batch now.
  removeQuietly(files, draft);
  createFile(files, draft, lines.map((line) => `${line}\n`).join(''), { sync: true });
  await renameDurably(files, draft, logFile(folder, batch));
}
