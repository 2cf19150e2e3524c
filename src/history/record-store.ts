import path from 'node:path';
import {
  assertWhole,
  batchOfName,
  describeDamage,
  logFile,
  readLog,
  readLogs,
  recordOf,
} from './batch/log-file.ts';
import { DamagedError, HistoryError } from './errors.ts';
import { type Files, readText } from './files/files.ts';
import type { HistoryProblem } from './history.ts';
import { checksumState } from './records/checksum.ts';
import { recordIdPattern } from './records/outline.ts';
import { matches, mayMatch, type RecordQuery } from './records/query.ts';
import { type HistoryRecord, type ParsedRecord, parseRecord, timeOfId } from './records/record.ts';

/** Where the records are. */
export interface RecordStore {
  readonly files: Files;
  readonly folder: string;
  /** Epoch milliseconds. */
  now(): number;
}

const suffix = '.json';

/** Folders beside the records. */
export const locksFolder = 'locks';
export const damagedFolder = 'damaged';

/** The record's own file. Records of a batch have one only if they were changed after it. */
export function fileOf(folder: string, id: string): string {
  return path.join(folder, id + suffix);
}

/** The id of the record, or null for the name of another file. */
export function idOfName(name: string): string | null {
  const id = name.slice(0, -suffix.length);
  return name.endsWith(suffix) && recordIdPattern.test(id) ? id : null;
}

/** Newest first; see History. */
export function listRecords(
  { files, folder, now }: RecordStore,
  query: RecordQuery,
): { records: HistoryRecord[]; problems: HistoryProblem[] } {
  const { names, logs, logged } = readLogs(files, folder, query);
  const records: HistoryRecord[] = [];
  const problems: HistoryProblem[] = logs.flatMap(({ file, damaged, error }) => {
    if (error !== null) return [{ file, kind: 'damaged', message: `cannot be read: ${error.message}` }];
    return damaged.length === 0 ? [] : [{ file, kind: 'damaged', message: describeDamage(damaged) }];
  });
  const take = (file: string, parsed: ParsedRecord | null) => {
    if (parsed === null) return;
    if ('problem' in parsed) problems.push({ file, ...parsed.problem });
    else if (matches(parsed.record, query, now())) records.push(parsed.record);
  };
  /** What is certainly too old is not worth reading. */
  const isTooOld = (id: string) =>
    query.maxAgeMs !== undefined && timeOfId(id) + 1_000 < now() - query.maxAgeMs;
  for (const [id, log] of logged) {
    const lines = log.lines.get(id) ?? [];
    if (isTooOld(id) || !lines.some((line) => mayMatch(line, query))) continue;
    const parsed = recordOf(log, id);
    // Its other lines are damaged, and that is said already.
    if ('record' in parsed || log.damaged.length === 0) take(log.file, parsed);
  }
  for (const name of names) {
    if (isOurs(name)) continue;
    const file = path.join(folder, name);
    const id = idOfName(name);
    if (id === null) problems.push({ file, kind: 'foreign', message: 'is not a record of storectl' });
    else if (!isTooOld(id)) take(file, readRecordFile(files, file, id, query));
  }
  // A log has its records in the order in which they were sent, and several of one time.
  records.reverse().sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  return { records, problems };
}

/** Drafts, folders and logs, which are not records. */
function isOurs(name: string): boolean {
  return name.startsWith('.') || name === locksFolder || name === damagedFolder || batchOfName(name) !== null;
}

/** Null if the file is gone, or is a record that the query does not ask for. */
function readRecordFile(files: Files, file: string, id: string, query: RecordQuery): ParsedRecord | null {
  try {
    const found = readText(files, file);
    return found === null || !mayMatch(found.text, query) ? null : parseRecord(found.text, id);
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { problem: { kind: 'damaged', message } };
  }
}

/**
 * Reads all records, most of them without parsing. Throws a HistoryError for the first file that is not whole. Returns the
 * records whose last answer asked to wait until a time that is still to come.
 */
export function checkAll({ files, folder, now }: RecordStore): HistoryRecord[] {
  const { names, logs, logged } = readLogs(files, folder);
  for (const log of logs) {
    if (log.error !== null) throw unreadable(log.file, log.error);
    assertWhole(log);
  }
  const waiting: HistoryRecord[] = [];
  for (const [id, log] of logged) {
    if (!log.lines.get(id)?.some((line) => asksToWait(line, now()))) continue;
    waiting.push(usable(log.file, recordOf(log, id)));
  }
  for (const id of names.map(idOfName).filter((id) => id !== null)) {
    const file = fileOf(folder, id);
    const text = readForCheck(files, file);
    if (text === null) continue;
    if (isIntact(text, id) && !asksToWait(text, now())) continue;
    const record = usable(file, parseRecord(text, id));
    if (asksToWait(text, now())) waiting.push(record);
  }
  return waiting;
}

function readForCheck(files: Files, file: string): string | null {
  try {
    return readText(files, file)?.text ?? null;
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): HistoryError {
  return new DamagedError(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

/** True for the text of a file that is certainly whole, without parsing it. */
function isIntact(text: string, id: string): boolean {
  return text.startsWith(`{\n  "format": 2,\n  "id": "${id}"`) && checksumState(text) === 'valid';
}

function asksToWait(text: string, now: number): boolean {
  return Number(/"retryAt": ?(\d+)/.exec(text)?.[1] ?? 0) > now;
}

/** The record with an id that begins or ends so; see History. */
export function getRecord({ files, folder }: RecordStore, wanted: string): HistoryRecord {
  const { names, logs, logged } = readLogs(files, folder);
  const filed = names.map(idOfName).filter((id) => id !== null);
  const ids = [...filed, ...logged.keys()].filter(
    (id) => wanted !== '' && (id.startsWith(wanted) || id.endsWith(`-${wanted}`)),
  );
  const [id = ''] = ids;
  if (ids.length > 1) {
    const message = `"${wanted}" matches ${ids.length} records: ${ids.sort().slice(0, 5).join(', ')}`;
    throw new HistoryError('record_ambiguous', message, folder);
  }
  const log = logged.get(id);
  const record = log === undefined ? readRecord(files, folder, id) : usable(log.file, recordOf(log, id));
  if (record !== null) return record;
  // It may be in a log that is damaged.
  logs.forEach(assertWhole);
  const message = `no record "${wanted}" in the history`;
  throw new HistoryError('record_not_found', message, folder);
}

/** The record as it is on disk now, or null if it is gone. */
export function readAgain(
  { files, folder }: RecordStore,
  { id, batch }: Pick<HistoryRecord, 'id' | 'batch'>,
): HistoryRecord | null {
  const record = readRecord(files, folder, id);
  if (record !== null || batch === null) return record;
  const log = readLog(files, logFile(folder, batch));
  if (log?.error) throw log.error;
  return log?.lines.has(id) ? usable(log.file, recordOf(log, id)) : null;
}

function readRecord(files: Files, folder: string, id: string): HistoryRecord | null {
  const file = fileOf(folder, id);
  const found = readText(files, file);
  return found === null ? null : usable(file, parseRecord(found.text, id));
}

function usable(file: string, parsed: ParsedRecord): HistoryRecord {
  if ('record' in parsed) return parsed.record;
  throw problemError({ file, ...parsed.problem });
}

/** The HistoryError for a file that cannot be used. */
function problemError({ file, kind, message }: HistoryProblem): HistoryError {
  if (kind === 'damaged') return new DamagedError(file, message);
  return new HistoryError('history_damaged', `${file} ${message}.`, file);
}
