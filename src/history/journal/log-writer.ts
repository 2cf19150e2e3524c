import { MAX_FILE_BYTES } from '../../base/files/files.ts';
import type { Lock } from '../../base/files/lock.ts';
import { type AppendOptions, openSynced } from '../../base/files/synced-file.ts';
import { HistoryError } from '../record/errors.ts';
import { type HistoryRecord, type Intent, isInDoubt, type RecordChange } from '../record/history-record.ts';
import type { Journal } from './journal.ts';
import { type FoundLog, fileOf, renameLog, statusOf } from './log-folder.ts';
import {
  applyPatches,
  type ClosingLine,
  patchOfIntent,
  type RecordPatch,
  type RecordsLine,
  serializeLine,
} from './log-lines.ts';
import { keepStoreWait } from './store-wait.ts';

/** Writes a log, and holds its lock. */
export type LogWriter = ReturnType<typeof openWriter>;

/** Bytes that are kept free for lines without the body of a response. */
export const reservedBytes = 1024 * 1024;

/** Bytes of a body in a log: a JSON string, with its quotes escaped. */
const sizeInLog = (body: string | null | undefined) => (body ? Buffer.byteLength(JSON.stringify(body)) : 0);

/** Throws a HistoryError if a log of this size would be too large to be read again. */
export function refuseTooLarge(bytes: number, file: string): void {
  if (bytes <= MAX_FILE_BYTES) return;
  const advice = 'make the request smaller';
  throw new HistoryError('history_unwritable', `the request is too large for the history (${file})`, {
    file,
    advice,
  });
}

/** How long a patch with `mayWait` waits for others. */
const maxWaitMs = 10;

/** Opens a log for appending. The writer takes over the log lock. Throws the errors of the file system. */
export function openWriter(journal: Journal, lock: Lock, log: Omit<FoundLog, 'stamp'>) {
  const { header } = log;
  const records = log.records();
  // The text after the last whole line is cut off. Without the lock, that text could be a line of another process.
  lock.assertHeld();
  const file = openSynced(journal.files, fileOf(journal, log.name.name), Buffer.byteLength(log.text));
  let lastPlace = Math.max(0, ...[...records.keys()].map((id) => Number(id.split('.')[1] ?? 0)));
  const unreported = new Set(
    [...records.values()].filter((record) => record.open && !isInDoubt(record)).map(({ id }) => id),
  );
  let { lines } = log;
  let missingBreak = log.text.endsWith('\n') ? '' : '\n';
  let waiting: { patches: readonly RecordPatch[]; resolve(): void; reject(error: unknown): void }[] = [];
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let written = Promise.resolve();
  let closing: Promise<void> | null = null;

  const timestamp = () => new Date(journal.now()).toISOString();

  async function writeLine(content: RecordsLine | ClosingLine, options?: AppendOptions): Promise<void> {
    lock.assertHeld();
    const text = missingBreak + serializeLine({ line: lines + 1, ...content });
    refuseTooLarge(file.size + Buffer.byteLength(text), fileOf(journal, log.name.name));
    await file.append(text, options);
    missingBreak = '';
    lines += 1;
  }

  /** The patches without the bodies of responses that would make the log too large to be read again. */
  function fitting(patches: readonly RecordPatch[]): readonly RecordPatch[] {
    const bytes = patches.reduce((sum, { response }) => sum + sizeInLog(response?.body), file.size);
    if (bytes < MAX_FILE_BYTES - reservedBytes) return patches;
    return patches.map((patch) =>
      patch.response ? { ...patch, response: { ...patch.response, body: null } } : patch,
    );
  }

  /** Writes all waiting patches as one line, after the line before. */
  function write(): Promise<void> {
    clearImmediate(soon);
    clearTimeout(later);
    soon = undefined;
    later = undefined;
    written = written.then(writeWaiting);
    return written;
  }

  async function writeWaiting(): Promise<void> {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    try {
      const line = { records: fitting(group.flatMap(({ patches }) => patches)), at: timestamp() };
      await writeLine(line);
      applyPatches(records, header, line);
      for (const { response } of line.records)
        if (response?.retryAt) keepStoreWait(journal, response.retryAt);
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function put(patches: readonly RecordPatch[], mayWait = false): Promise<void> {
    if (closing !== null) throw new HistoryError('history_unwritable', `log ${header.id} is closed`);
    await new Promise<void>((resolve, reject) => {
      waiting.push({ patches, resolve, reject });
      if (mayWait) later ??= setTimeout(write, maxWaitMs);
      else soon ??= setImmediate(write);
    });
  }

  async function finish(isReported: boolean): Promise<void> {
    try {
      await write();
      const isOpen = (record: HistoryRecord) =>
        isInDoubt(record) || (isReported ? unreported.has(record.id) : record.open);
      const ended = [...records.values()].map((record) => ({ ...record, open: isOpen(record) }));
      const open = ended.filter((record) => record.open).map(({ id }) => id);
      const saysSo =
        log.isClosed && lines === log.lines && ended.every((r) => r.open === records.get(r.id)?.open);
      // The closing line is not synced. If a power cut loses it, the records are open again, with the outcomes that were synced.
      const closingLine = { closed: { records: records.size, open }, at: timestamp() };
      if (!saysSo) await writeLine(closingLine, { sync: false });
      lock.assertHeld();
      renameLog(journal, log.name, statusOf(ended));
    } catch {
      // Without a closing line all records stay open. The name is only a hint.
    } finally {
      file.close();
      lock.release();
    }
  }

  return {
    id: header.id,
    /** The name of the log when this process opened it. */
    name: log.name.name,
    number: header.number,
    /** The records of the log as they are on disk, by id, oldest first. */
    records: records as ReadonlyMap<string, HistoryRecord>,
    /** Bytes written so far. */
    get size() {
      return file.size;
    },
    /**
     * Adds a record with the next of the ids `id.1`, `id.2` …, or with the id of the log if `isMain`. The record is on disk when the
     * promise resolves. Records that are added in the same turn of the event loop are one line, and one sync. Rejects with a
     * HistoryError: then nothing may be sent, and nothing more can be written.
     */
    async add(intent: Intent, { isMain = false } = {}): Promise<HistoryRecord> {
      lastPlace += isMain ? 0 : 1;
      const id = isMain ? header.id : `${header.id}.${lastPlace}`;
      await put([patchOfIntent(intent, id, timestamp())]);
      return recordIn(records, id);
    },
    /** Appends new fields of records, with the promises of `add`. With `mayWait`, up to 10 ms later, together with other records. */
    change: (changes: readonly RecordChange[], { mayWait = false } = {}) => put(changes, mayWait),
    /** Counts a record as reported whose outcome was in the log before this process opened it. */
    report: (id: string) => void unreported.delete(id),
    /** Throws a HistoryError `lock_lost` if another process has taken over a lock that this process holds. */
    assertHeld: () => journal.assertHeld(),
    /**
     * Appends the closing line, renames the log, and releases the log lock. The outcomes that this process has written count as
     * reported, unless `isReported` is false: then all records stay open. The closing line is not synced. Never rejects.
     */
    close({ isReported = true } = {}): Promise<void> {
      closing ??= finish(isReported);
      return closing;
    },
  };
}

/** The record with this id. Throws a RangeError if the log has none. */
export function recordIn(records: ReadonlyMap<string, HistoryRecord>, id: string): HistoryRecord {
  const record = records.get(id);
  if (record === undefined) throw new RangeError(`the log has no record ${id}`);
  return record;
}
