import path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { DamagedError, historyError } from '../errors.ts';
import { createFile, ensureFolder, readBytes, syncFolder } from './files/files.ts';
import type { HistoryRecord } from './history-record.ts';
import { acquireLog, damagedFolder, fileOf, type LogFolder, listLogs, readLog } from './log-folder.ts';
import { patchOfRecord, serializeLine } from './log-lines.ts';
import { type LogName, makeLogName } from './log-name.ts';
import { makeHeader, writeLogFile } from './open-log.ts';
import { salvage } from './salvage.ts';
import { settledStatus } from './settle.ts';

/** What a repair did with a damaged log. */
export interface RepairedLog {
  readonly id: string;
  /** The file that was damaged. */
  readonly file: string;
  /** What was wrong with it: continues the name of the file. */
  readonly message: string;
  /** The file that holds a copy of it. */
  readonly copy: string;
  /** The records that the log has now; those whose request is lost are `unreadable`. */
  readonly records: readonly HistoryRecord[];
}

/** Repairs each damaged log under its lock. Logs that cannot be read for another reason stay as they are. */
export async function repairLogs(folder: LogFolder): Promise<RepairedLog[]> {
  const repaired: RepairedLog[] = [];
  for (const log of listLogs(folder)) {
    if (findDamage(folder, log) === null) continue;
    const lock = await acquireLog(folder, log.id);
    try {
      // Its holder may have been about to write, or to repair it.
      const damage = findDamage(folder, log);
      const done = damage && (await repairLog(folder, log, damage));
      if (done !== null) repaired.push(done);
    } catch (error) {
      throw historyError(error, 'write', fileOf(folder, log.name));
    } finally {
      lock.release();
    }
  }
  return repaired;
}

function findDamage(folder: LogFolder, log: LogName): DamagedError | null {
  try {
    readLog(folder, log);
  } catch (error) {
    if (error instanceof DamagedError && error.kind === 'damaged') return error;
  }
  return null;
}

async function repairLog(folder: LogFolder, log: LogName, damage: DamagedError): Promise<RepairedLog | null> {
  const file = fileOf(folder, log.name);
  const bytes = readBytes(folder.files, file)?.bytes;
  if (bytes === undefined) return null;
  const copy = setAside(folder, log.name, bytes);
  const midnight = log.date.replace(/(....)(..)(..)/, '$1-$2-$3T00:00:00.000Z');
  const { header, records } = salvage(bytes.toString(), log, makeHeader(folder, log, midnight));
  const all = [...records.values()];
  const open = all.filter((record) => record.open).map(({ id }) => id);
  const at = new Date(folder.now()).toISOString();
  const text = [
    serializeLine({ ...header, line: 1 }),
    serializeLine({ line: 2, records: all.map(patchOfRecord), at }),
    serializeLine({ line: 3, closed: { records: all.length, open }, at }),
  ].join('');
  const name = makeLogName({ ...log, status: settledStatus(all, folder.now()) });
  const { fileSystem } = folder.files;
  // An earlier repair may have been killed after it wrote the log, and before it removed the damaged file.
  const isWritten = listLogs(folder).some(
    (other) => other.id === log.id && other.name !== log.name && findDamage(folder, other) === null,
  );
  if (!isWritten) await writeLogFile(folder, name.name, text);
  if (isWritten || name.name !== log.name) {
    fileSystem.unlinkSync(file);
    syncFolder(folder.files, folder.path);
  }
  return { id: log.id, file, message: damage.problem, copy, records: all };
}

/** Keeps a copy of a damaged log, and returns its file. */
function setAside(folder: LogFolder, name: string, bytes: Uint8Array): string {
  const target = path.join(folder.path, damagedFolder);
  ensureFolder(folder.files, target);
  for (let number = 0; ; number += 1) {
    const copy = path.join(target, name + (number === 0 ? '' : `.${number}`));
    try {
      createFile(folder.files, copy, bytes, { sync: true });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw error;
    }
    syncFolder(folder.files, target);
    return copy;
  }
}
