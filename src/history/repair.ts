import path from 'node:path';
import { batchOfName, describeDamage, type Log, readLog, recordOf, writeLog } from './batch/log-file.ts';
import { historyError } from './errors.ts';
import { ensureFolder, type Files, fileExists, readText, syncFolder } from './files/files.ts';
import type { History, RepairedFile, SalvagedRecord } from './history.ts';
import { damagedFolder, idOfName, listRecords, type RecordStore } from './record-store.ts';
import { lockName } from './records/record.ts';

/**
 * Moves damaged files of the history into the folder `damaged`. Of a batch's log a copy goes there, and the records that
 * its whole lines make stay. Returns what can still be read of those that are lost.
 */
export async function repairHistory(
  store: RecordStore,
  withLock: History['withLock'],
): Promise<RepairedFile[]> {
  const { files, folder } = store;
  const { problems } = listRecords(store, {});
  const damaged = problems.filter(({ kind }) => kind === 'damaged').map(({ file }) => file);
  const repaired: RepairedFile[] = [];
  for (const file of new Set(damaged)) {
    const name = path.basename(file);
    const batch = batchOfName(name);
    const id = batch ?? idOfName(name);
    if (id === null) continue;
    const done = await withLock(lockName({ id, batch }), async () =>
      batch === null ? moveRecord(store, file) : repairLog(files, folder, file, batch),
    );
    if (done !== null) repaired.push(done);
  }
  return repaired;
}

function moveRecord(store: RecordStore, file: string): RepairedFile {
  const text = readLeniently(store.files, file);
  const { problems } = listRecords(store, {});
  const message = problems.find((problem) => problem.file === file)?.message ?? 'is damaged';
  const movedTo = moveAside(store.files, store.folder, file, 'renameSync');
  return { file, movedTo, message, lost: [salvage(text, idOfName(path.basename(file)))] };
}

/** Null if another process has repaired it. */
async function repairLog(
  files: Files,
  folder: string,
  file: string,
  batch: string,
): Promise<RepairedFile | null> {
  const log = readLog(files, file);
  if (log === null) return null;
  if (log.error !== null) {
    const movedTo = moveAside(files, folder, file, 'renameSync');
    return { file, movedTo, message: `cannot be read: ${log.error.message}`, lost: [] };
  }
  const incomplete = incompleteRecords(log);
  if (log.damaged.length + incomplete.length === 0) return null;
  const movedTo = moveAside(files, folder, file, 'linkSync');
  const kept = [...log.lines].filter(([id]) => !incomplete.includes(id));
  await writeLog(
    files,
    folder,
    batch,
    kept.flatMap(([, lines]) => lines),
  );
  const message =
    log.damaged.length === 0 ? 'has records without their first line' : describeDamage(log.damaged);
  return { file, movedTo, message, lost: salvageLog(log, incomplete) };
}

/** The ids of records that the whole lines say something of, and not enough to make them. */
function incompleteRecords(log: Log): string[] {
  return [...log.lines.keys()].filter((id) => {
    const parsed = recordOf(log, id);
    return 'problem' in parsed && parsed.problem.kind === 'damaged';
  });
}

function salvageLog({ lines, damaged }: Log, incomplete: readonly string[]): SalvagedRecord[] {
  const isOf = (id: string) => (line: string) => line.includes(`"${id}"`);
  const others = damaged.filter((line) => !incomplete.some((id) => isOf(id)(line)));
  return [
    // The newest line first: what it says is what was true in the end.
    ...incomplete.map((id) =>
      salvage([...(lines.get(id) ?? []).toReversed(), ...damaged.filter(isOf(id))].join('\n'), id),
    ),
    ...others.map((line) => salvage(line, null)),
  ];
}

/** Gives the file a name in the folder of damaged ones, instead of or beside its own. */
function moveAside(files: Files, folder: string, file: string, how: 'renameSync' | 'linkSync'): string {
  const target = path.join(folder, damagedFolder);
  ensureFolder(files, target);
  try {
    for (let number = 0; ; number += 1) {
      const movedTo = path.join(target, path.basename(file) + (number === 0 ? '' : `.${number}`));
      if (fileExists(files, movedTo)) continue;
      files.fileSystem[how](file, movedTo);
      syncFolder(files, target);
      syncFolder(files, folder);
      return movedTo;
    }
  } catch (error) {
    throw historyError(error, 'write', target);
  }
}

function readLeniently(files: Files, file: string): string {
  try {
    return readText(files, file)?.text ?? '';
  } catch {
    return '';
  }
}

/** What can be read of a record in a text that may be damaged anywhere. */
function salvage(text: string, id: string | null): SalvagedRecord {
  const textOf = (name: string) => new RegExp(`"${name}": ?"([^"\\\\\\n]*)"`).exec(text)?.[1] ?? null;
  return {
    id: id ?? textOf('id'),
    operation: textOf('operation'),
    createdAt: textOf('createdAt'),
    storeId: textOf('storeId'),
    idempotencyKey: textOf('idempotencyKey'),
    state: textOf('state'),
  };
}
