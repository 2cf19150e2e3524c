import path from 'node:path';
import { batchOfName, logFile, lookInto, readLog, recordOf } from './batch/log-file.ts';
import { HistoryError } from './errors.ts';
import { type Files, readText } from './files/files.ts';
import type { HistoryProblem } from './history.ts';
import { recordIdPattern } from './records/outline.ts';
import { matches, mayMatch, type RecordQuery } from './records/query.ts';
import { type HistoryRecord, parseRecord, timeOfId } from './records/record.ts';

/** Where the records are. */
export interface RecordStore {
  readonly files: Files;
  readonly folder: string;
  /** Epoch milliseconds. */
  now(): number;
}

const suffix = '.json';

/** The record's own file: each has one, but for those that stand in the log of a batch. */
export function fileOf(folder: string, id: string): string {
  return path.join(folder, id + suffix);
}

type Parsed = ReturnType<typeof parseRecord> | null;

/** Newest first; see History. */
export function listRecords(
  { files, folder, now }: RecordStore,
  query: RecordQuery,
): { records: HistoryRecord[]; problems: HistoryProblem[] } {
  const { names, logged, unreadable } = lookInto(files, folder, query);
  const records: HistoryRecord[] = [];
  const problems: HistoryProblem[] = [...unreadable];
  const take = (file: string, parsed: Parsed) => {
    if (parsed === null) return;
    if ('problem' in parsed) problems.push({ file, message: parsed.problem });
    else if (matches(parsed.record, query, now())) records.push(parsed.record);
  };
  /** What is certainly too old is not worth reading. */
  const isTooOld = (id: string) =>
    query.maxAgeMs !== undefined && timeOfId(id) + 1_000 < now() - query.maxAgeMs;
  for (const [id, { file, lines }] of logged) {
    if (!isTooOld(id) && lines.some((line) => mayMatch(line, query))) take(file, recordOf(id, lines));
  }
  for (const name of names) {
    if (name.startsWith('.') || name === 'locks' || batchOfName(name) !== null) continue;
    const file = path.join(folder, name);
    const id = name.slice(0, -suffix.length);
    if (!name.endsWith(suffix) || !recordIdPattern.test(id)) {
      problems.push({ file, message: 'is no record of storectl' });
    } else if (!isTooOld(id)) take(file, readRecordFile(files, file, id, query));
  }
  records.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1));
  return { records, problems };
}

/** Null where the file is gone, or holds no record that the query asks for. */
function readRecordFile(files: Files, file: string, id: string, query: RecordQuery): Parsed {
  try {
    const found = readText(files, file);
    return found === null || !mayMatch(found.text, query) ? null : parseRecord(found.text, id);
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The record with an id that begins or ends so; see History. */
export function getRecord({ files, folder }: RecordStore, wanted: string): HistoryRecord {
  const { names, logged, unreadable } = lookInto(files, folder);
  const filed = names
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .filter((id) => recordIdPattern.test(id));
  const ids = [...filed, ...logged.keys()].filter(
    (id) => wanted !== '' && (id.startsWith(wanted) || id.endsWith(`-${wanted}`)),
  );
  const [id = ''] = ids;
  if (ids.length > 1) {
    const message = `${ids.length} records begin with ${wanted}: ${ids.sort().slice(0, 5).join(', ')}`;
    throw new HistoryError('record_ambiguous', `${message}. Give more of the id.`, folder);
  }
  const inLog = logged.get(id);
  const record =
    inLog === undefined ? readRecord(files, folder, id) : usable(inLog.file, recordOf(id, inLog.lines));
  if (record !== null) return record;
  // It may stand there.
  if (unreadable[0] !== undefined) throw unreadable[0].unreadableLog;
  const message = `This machine knows no operation ${wanted} of this profile.`;
  throw new HistoryError('record_not_found', message, folder);
}

/** The record as it is on disk now, or null where it is gone. */
export function readAgain(
  { files, folder }: RecordStore,
  { id, batch }: Pick<HistoryRecord, 'id' | 'batch'>,
): HistoryRecord | null {
  const record = readRecord(files, folder, id);
  if (record !== null || batch === null) return record;
  const log = logFile(folder, batch);
  const lines = readLog(files, log)?.get(id);
  return lines === undefined ? null : usable(log, recordOf(id, lines));
}

function readRecord(files: Files, folder: string, id: string): HistoryRecord | null {
  const file = fileOf(folder, id);
  const found = readText(files, file);
  return found === null ? null : usable(file, parseRecord(found.text, id));
}

function usable(file: string, parsed: Parsed): HistoryRecord | null {
  if (parsed === null || 'record' in parsed) return parsed?.record ?? null;
  throw new HistoryError('history_unreadable', `${file} ${parsed.problem}`, file);
}
