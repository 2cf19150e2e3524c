import { HistoryError } from '../errors.ts';
import type { Lock } from './files/lock.ts';
import { openSynced } from './files/synced-file.ts';
import { type HistoryRecord, type Intent, isInDoubt, type RecordChange } from './history-record.ts';
import { type FoundLog, fileOf, type LogFolder } from './log-folder.ts';
import {
  applyPatches,
  type ClosingLine,
  patchOfChange,
  patchOfIntent,
  type RecordPatch,
  type RecordsLine,
  serializeLine,
} from './log-lines.ts';
import { refuseSecrets } from './refuse-secrets.ts';
import { renameLog, settledStatus } from './settle.ts';

/** Writes a log, and holds its lock. */
export interface LogWriter {
  readonly id: string;
  readonly number: number;
  /** Records of the log as they are on disk, by id, oldest first. */
  readonly records: ReadonlyMap<string, HistoryRecord>;
  /** Bytes written so far. */
  readonly size: number;
  /**
   * Adds records. Their ids are `id.1`, `id.2` …, or the log's id if `isMain`. On disk when the promise resolves, together
   * with whatever else was added in the same turn of the event loop: that is one line. Rejects with a HistoryError; then
   * nothing may be sent, and unless it is `secret_in_record` nothing more can be written.
   */
  add(intents: readonly Intent[], options?: { readonly isMain?: boolean }): Promise<HistoryRecord[]>;
  /** Changes records, as {@link add}. With `mayWait`, up to 10 ms later, with the next line. */
  change(
    changes: readonly RecordChange[],
    options?: { readonly mayWait?: boolean },
  ): Promise<HistoryRecord[]>;
  /** To be called for a record whose outcome was known before this process, once the user learns it from this one. */
  tell(id: string): void;
  /** Throws a HistoryError `history_busy` when another process has taken the log's lock over. */
  assertHeld(): void;
  /**
   * Writes the closing line, and releases the lock. What this process has found out counts as told, and of what was known
   * before what was told. Syncs the line before the name says that the log is closed. Never rejects.
   */
  close(): Promise<void>;
}

/** How long a change that may wait does so. */
const maxWaitMs = 10;

interface Waiting {
  readonly patches: readonly RecordPatch[];
  resolve(): void;
  reject(error: unknown): void;
}

/** Goes on writing a log, whose lock passes to the writer. Throws what the file system throws. */
export function openWriter(
  folder: LogFolder,
  lock: Lock,
  log: FoundLog,
  secrets: readonly string[],
): LogWriter {
  const { header, records } = log;
  const file = openSynced(folder.files, fileOf(folder, log.name.name), Buffer.byteLength(log.text));
  const places = [...records.keys()].map((id) => Number(id.split('.')[1] ?? 0));
  let lastPlace = Math.max(0, ...places);
  const untold = new Set(
    [...records.values()].filter((record) => record.open && !isInDoubt(record)).map(({ id }) => id),
  );
  let { lines } = log;
  let missingBreak = log.text.endsWith('\n') ? '' : '\n';
  let waiting: Waiting[] = [];
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let isDue = false;
  let writing: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  const timestamp = () => new Date(folder.now()).toISOString();

  async function writeLine(content: RecordsLine | ClosingLine): Promise<void> {
    lock.assertHeld();
    await file.append(missingBreak + serializeLine({ line: lines + 1, ...content }));
    missingBreak = '';
    lines += 1;
  }

  /** Writes what waits as one line, and then what came meanwhile as the next. */
  function write(): Promise<void> {
    clearImmediate(soon);
    clearTimeout(later);
    soon = undefined;
    later = undefined;
    isDue = true;
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (isDue) {
      isDue = false;
      const group = waiting;
      waiting = [];
      if (group.length === 0) continue;
      try {
        const line = { records: group.flatMap(({ patches }) => patches), at: timestamp() };
        await writeLine(line);
        applyPatches(records, header, line);
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  async function put(patches: readonly RecordPatch[], mayWait = false): Promise<HistoryRecord[]> {
    if (closing !== null) throw new HistoryError('history_unwritable', `log ${header.id} is closed`);
    await new Promise<void>((resolve, reject) => {
      waiting.push({ patches, resolve, reject });
      if (mayWait) later ??= setTimeout(write, maxWaitMs);
      else soon ??= setImmediate(write);
    });
    return patches.flatMap(({ id }) => records.get(id) ?? []);
  }

  async function finish(): Promise<void> {
    try {
      await write();
      const isOpen = (record: HistoryRecord) => isInDoubt(record) || untold.has(record.id);
      const ended = [...records.values()].map((record) => ({ ...record, open: isOpen(record) }));
      const open = ended.filter((record) => record.open).map(({ id }) => id);
      const saysSo =
        log.isClosed && lines === log.lines && ended.every((r) => r.open === records.get(r.id)?.open);
      if (!saysSo) await writeLine({ closed: { records: records.size, open }, at: timestamp() });
      renameLog(folder, log.name, settledStatus(ended, folder.now()));
    } catch {
      // Without a closing line all its records stay open, and the name is only a hint.
    } finally {
      file.close();
      lock.release();
    }
  }

  return {
    id: header.id,
    number: header.number,
    records,
    get size() {
      return file.size;
    },
    async add(intents, { isMain = false } = {}) {
      refuseSecrets(intents, secrets);
      const createdAt = timestamp();
      const nextId = () => {
        lastPlace += isMain ? 0 : 1;
        return isMain ? header.id : `${header.id}.${lastPlace}`;
      };
      return put(intents.map((intent) => patchOfIntent(intent, nextId(), createdAt)));
    },
    change: (changes, { mayWait } = {}) => put(changes.map(patchOfChange), mayWait),
    tell: (id) => void untold.delete(id),
    assertHeld: () => lock.assertHeld(),
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
