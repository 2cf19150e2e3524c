import path from 'node:path';
import { createFile, ensureFolder, fileFailure, readBytes, syncFolder } from '../../base/files/files.ts';
import { errorCode } from '../../base/system-error.ts';
import { type DamagedError, HistoryError, isDamage } from '../record/errors.ts';
import { type HistoryRecord, isInDoubt, logIdOf } from '../record/history-record.ts';
import type { Journal } from './journal.ts';
import { fileOf, listLogs, readLog, statusOf } from './log-folder.ts';
import {
  applyPatches,
  blankRecord,
  isHeaderOf,
  type LogHeader,
  parseLine,
  serializeLine,
} from './log-lines.ts';
import { damagedFolder, type LogName, makeLogName } from './log-name.ts';
import { makeHeader, writeLogFile } from './open-log.ts';

/** A log after its repair. */
export interface RepairedLog {
  readonly id: string;
  /** The file that was damaged. */
  readonly file: string;
  /** The problem, as words that follow the name of the file: `is empty`. */
  readonly message: string;
  /** The file with a copy of the damaged log. */
  readonly copy: string;
  /** The records that the log has now. One with `requestLost` stands for records that may be lost. */
  readonly records: readonly HistoryRecord[];
}

/** Repairs each damaged log under its log lock. Logs that cannot be used for another reason stay as they are, see {@link findUnusable}. */
export async function repairLogs(journal: Journal): Promise<RepairedLog[]> {
  const repaired: RepairedLog[] = [];
  for (const log of listLogs(journal)) {
    if (!isDamage(findProblem(journal, log))) continue;
    const lock = await journal.acquireLog(log.id);
    try {
      // The process that held the lock may have repaired the log.
      const damage = findProblem(journal, log);
      const done = isDamage(damage) ? await repairLog(journal, log, damage) : null;
      if (done !== null) repaired.push(done);
    } catch (error) {
      throw fileFailure(journal.files, error, 'write', fileOf(journal, log.name));
    } finally {
      lock.release();
    }
  }
  return repaired;
}

/** The problems of logs that are not damaged but cannot be used: they belong to another user, or a later version has written them. */
export function findUnusable(journal: Journal): HistoryError[] {
  const problems = listLogs(journal).map((log) => findProblem(journal, log));
  return problems.filter((problem) => problem !== null).filter((problem) => !isDamage(problem));
}

/** Why a log cannot be used, or null. */
function findProblem(journal: Journal, log: LogName): HistoryError | null {
  try {
    readLog(journal, log)?.records();
    return null;
  } catch (error) {
    if (error instanceof HistoryError) return error;
    throw error;
  }
}

async function repairLog(journal: Journal, log: LogName, damage: DamagedError): Promise<RepairedLog | null> {
  const file = fileOf(journal, log.name);
  const bytes = readBytes(journal.files, file)?.bytes;
  if (bytes === undefined) return null;
  const copy = setAside(journal, log.name, bytes);
  const midnight = log.date.replace(/(....)(..)(..)/, '$1-$2-$3T00:00:00.000Z');
  const { header, records: all } = salvage(bytes.toString(), log, makeHeader(journal, log, midnight));
  const open = all.filter((record) => record.open).map(({ id }) => id);
  const at = new Date(journal.now()).toISOString();
  const text = [
    serializeLine({ ...header, line: 1 }),
    serializeLine({ line: 2, records: all.map(({ open: _, ...patch }) => patch), at }),
    serializeLine({ line: 3, closed: { records: all.length, open }, at }),
  ].join('');
  const name = makeLogName({ ...log, status: statusOf(all) });
  const { fileSystem } = journal.files;
  // An earlier repair may have been killed after it wrote the log, and before it removed the damaged file.
  const isWritten = listLogs(journal).some(
    (other) => other.id === log.id && other.name !== log.name && findProblem(journal, other) === null,
  );
  if (!isWritten) await writeLogFile(journal, name.name, text);
  if (isWritten || name.name !== log.name) {
    journal.assertHeld();
    fileSystem.unlinkSync(file);
    syncFolder(journal.files, journal.folder);
  }
  return { id: log.id, file, message: damage.problem, copy, records: all };
}

/**
 * Reads the whole lines of a damaged log, wherever they are. A record whose intent is there keeps its last whole outcome, and is
 * `unknown` without one. If the log may have had other records, one record with `requestLost` stands for all of them. `newHeader` is
 * for a log whose header is lost.
 */
function salvage(
  text: string,
  name: LogName,
  newHeader: LogHeader,
): { header: LogHeader; records: HistoryRecord[] } {
  const found = text
    .split('\n')
    .filter((chunk) => chunk !== '')
    .map(parseLine);
  const lines = found.filter((line) => line !== null).sort((one, other) => one.line - other.line);
  const header = lines.filter((line) => 'format' in line).find((line) => isHeaderOf(line, name)) ?? newHeader;
  const records = new Map<string, HistoryRecord>();
  let hasForeign = false;
  for (const line of lines) {
    if (!('records' in line)) continue;
    const own = line.records.filter(({ id }) => logIdOf(id) === name.id);
    hasForeign ||= own.length < line.records.length;
    // An outcome without its intent is left out.
    const known = own.filter(({ id, operation }) => operation !== undefined || records.has(id));
    applyPatches(records, header, { at: line.at, records: known });
  }
  const last = found.at(-1) ?? null;
  const closed = last !== null && 'closed' in last ? last.closed : null;
  const mayBeOpen = name.status === 'open' || name.status === 'pending';
  const isAll = closed?.records === records.size && !hasForeign && (mayBeOpen || closed.open.length === 0);
  if (!isAll) {
    const id = freeId(records, name);
    records.set(id, { ...blankRecord(header, id, header.createdAt), requestLost: true });
  }
  const ended = [...records.values()].map((record) => {
    const state = record.state === 'sent' ? 'unknown' : record.state;
    // Without a closing line it is not known which outcomes were reported.
    return { ...record, state, open: closed === null || isInDoubt(record) };
  });
  return { header, records: ended };
}

function freeId(records: ReadonlyMap<string, HistoryRecord>, { id }: LogName): string {
  for (let place = 1; ; place += 1) {
    if (!records.has(`${id}.${place}`)) return `${id}.${place}`;
  }
}

/** Keeps a copy of a damaged log, and returns its file. */
function setAside(journal: Journal, name: string, bytes: Uint8Array): string {
  const target = path.join(journal.folder, damagedFolder);
  ensureFolder(journal.files, target);
  for (let number = 0; ; number += 1) {
    const copy = path.join(target, name + (number === 0 ? '' : `.${number}`));
    try {
      createFile(journal.files, copy, bytes, { sync: true });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw error;
    }
    syncFolder(journal.files, target);
    return copy;
  }
}
