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

/** For lines without the bodies of responses. */
export const reservedBytes = 1024 * 1024;

/** A body is a text in a JSON document, so its quotes are escaped. */
const sizeInLog = (body: string | null | undefined) => (body ? Buffer.byteLength(JSON.stringify(body)) : 0);

/** Throws a HistoryError where a log would be too large to be read again. */
export function refuseTooLarge(bytes: number, file: string): void {
  if (bytes <= MAX_FILE_BYTES) return;
  const advice = 'make the request smaller';
  throw new HistoryError('history_unwritable', `the request is too large for the history (${file})`, {
    file,
    advice,
  });
}

/** How long a change that may wait does so. */
const maxWaitMs = 10;

/** Goes on writing a log, whose lock passes to the writer. Throws what the file system throws. */
export function openWriter(journal: Journal, lock: Lock, log: Omit<FoundLog, 'stamp'>) {
  const { header, records } = log;
  // What is behind the whole lines is cut off: it must not be what the next holder has written.
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

  /** A log that would be too large to be read does without the responses that would make it so. */
  function fitting(patches: readonly RecordPatch[]): readonly RecordPatch[] {
    const bytes = patches.reduce((sum, { response }) => sum + sizeInLog(response?.body), file.size);
    if (bytes < MAX_FILE_BYTES - reservedBytes) return patches;
    return patches.map((patch) =>
      patch.response ? { ...patch, response: { ...patch.response, body: null } } : patch,
    );
  }

  /** Writes what waits as one line, once the line before is written. */
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

  async function finish(): Promise<void> {
    try {
      await write();
      const isOpen = (record: HistoryRecord) => isInDoubt(record) || unreported.has(record.id);
      const ended = [...records.values()].map((record) => ({ ...record, open: isOpen(record) }));
      const open = ended.filter((record) => record.open).map(({ id }) => id);
      const saysSo =
        log.isClosed && lines === log.lines && ended.every((r) => r.open === records.get(r.id)?.open);
      // Nothing waits for its sync: if the power is cut, its records are open again, with the outcomes that were synced.
      const closingLine = { closed: { records: records.size, open }, at: timestamp() };
      if (!saysSo) await writeLine(closingLine, { sync: false });
      lock.assertHeld();
      renameLog(journal, log.name, statusOf(ended));
    } catch {
      // Without a closing line all its records stay open, and the name is only a hint.
    } finally {
      file.close();
      lock.release();
    }
  }

  return {
    id: header.id,
    /** Its name when this process began to write it. */
    name: log.name.name,
    number: header.number,
    /** Records of the log as they are on disk, by id, oldest first. */
    records: records as ReadonlyMap<string, HistoryRecord>,
    /** Bytes written so far. */
    get size() {
      return file.size;
    },
    /**
     * Adds a record with the next of the ids `id.1`, `id.2` …, or the log's id if `isMain`. On disk when the promise resolves,
     * together with whatever else was added in the same turn of the event loop: that is one line. Rejects with a HistoryError;
     * then nothing may be sent, and nothing more can be written.
     */
    async add(intent: Intent, { isMain = false } = {}): Promise<HistoryRecord> {
      lastPlace += isMain ? 0 : 1;
      const id = isMain ? header.id : `${header.id}.${lastPlace}`;
      await put([patchOfIntent(intent, id, timestamp())]);
      return recordIn(records, id);
    },
    /** Changes records, as `add`. With `mayWait`, up to 10 ms later, with the next line. */
    change: (changes: readonly RecordChange[], { mayWait = false } = {}) => put(changes, mayWait),
    /** To be called for a record whose outcome was known before this process, once the user learns it from this one. */
    report: (id: string) => void unreported.delete(id),
    /** Throws a HistoryError `lock_lost` when another process has taken over any lock of the change, that of the log included. */
    assertHeld: () => journal.assertHeld(),
    /**
     * Writes the closing line, and releases the lock. What this process has found out counts as reported, and of what was known
     * before what was reported. The line is not synced. Never rejects.
     */
    close(): Promise<void> {
      closing ??= finish();
      return closing;
    },
  };
}

/** Throws a RangeError if there is none: the caller has its id from the log. */
export function recordIn(records: ReadonlyMap<string, HistoryRecord>, id: string): HistoryRecord {
  const record = records.get(id);
  if (record === undefined) throw new RangeError(`the log has no record ${id}`);
  return record;
}
