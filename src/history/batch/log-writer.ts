import { HistoryError, historyError } from '../errors.ts';
import type { Files } from '../files/files.ts';

/** Writes the log of a batch. */
export interface LogWriter {
  /** On disk when the promise resolves; a line that can wait is written with the next. Rejects with a HistoryError. */
  add(line: string, canWait: boolean): Promise<void>;
  close(): void;
}

/** How long a line that can wait does so. */
const maxWaitMs = 10;

/**
 * Bytes of blanks that are written ahead: overwriting them syncs in half the time of a growing file, whose new size must be
 * written too.
 */
const spaceAhead = 256 * 1024;

interface Waiting {
  readonly line: string;
  resolve(): void;
  reject(error: HistoryError): void;
}

/**
 * Writes and syncs together what is added in one turn of the event loop or during a sync. The sync runs in another thread,
 * so requests and answers go on meanwhile.
 */
export function writeTogether(file: string, descriptor: number, { fileSystem }: Files): LogWriter {
  let waiting: Waiting[] = [];
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let isSyncing = false;
  /** Whether to write again as soon as the current sync ends. */
  let isDue = false;
  /** Where the next line goes, and where the allocated space ends. */
  let end = 0;
  let spaceEnd = 0;
  /** 0 on file systems that do not count links. */
  const linksAtFirst = fileSystem.fstatSync(descriptor).nlink;
  /** A disk without room for the blanks may still have room for the lines. */
  function put(text: string): void {
    const size = Buffer.byteLength(text);
    const bytes = Buffer.alloc(end + size > spaceEnd ? size + spaceAhead : size, ' ');
    bytes.write(text);
    const until = end + size;
    while (end < until) {
      const left = until - end;
      const from = size - left;
      const count = fileSystem.writeSync(descriptor, bytes, from, bytes.length - from, end);
      spaceEnd = Math.max(spaceEnd, end + count);
      end += Math.min(count, left);
    }
  }

  /** Nothing was sent for lines that were not synced, and half a line between others would be damage. */
  function takeBack(start: number): void {
    end = start;
    try {
      fileSystem.ftruncateSync(descriptor, start);
      spaceEnd = start;
    } catch {
      // What is written next overwrites it.
    }
  }

  /** The file or its folder was removed: what is written now would be lost. */
  function isGone(): boolean {
    return linksAtFirst > 0 && fileSystem.fstatSync(descriptor).nlink === 0;
  }

  function write(): void {
    clearImmediate(soon);
    clearTimeout(later);
    soon = undefined;
    later = undefined;
    isDue = isSyncing;
    if (isSyncing) return;
    isSyncing = true;
    const group = waiting;
    const start = end;
    waiting = [];
    const settle = (cause: unknown) => {
      isSyncing = false;
      if (!cause) {
        for (const { resolve } of group) resolve();
      } else {
        takeBack(start);
        const error = historyError(cause, 'write', file);
        for (const { reject } of group) reject(error);
      }
      if (isDue) write();
    };
    try {
      if (isGone())
        throw new HistoryError('history_unwritable', `cannot write ${file}: it was removed`, file);
      put(group.map(({ line }) => line).join(''));
      fileSystem.fdatasync(descriptor, settle);
    } catch (cause) {
      settle(cause);
    }
  }

  return {
    add: (line, canWait) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        if (canWait) later ??= setTimeout(write, maxWaitMs);
        else soon ??= setImmediate(write);
      }),
    close() {
      try {
        fileSystem.ftruncateSync(descriptor, end);
      } catch {
        // Readers skip blanks.
      }
      fileSystem.closeSync(descriptor);
    },
  };
}
