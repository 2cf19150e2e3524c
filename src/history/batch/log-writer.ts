import { HistoryError, historyError } from '../errors.ts';
import type { Files } from '../files/files.ts';

/** Writes the log of a batch. */
export interface LogWriter {
  /** On disk when the promise resolves, soon, or with the next that cannot wait. Rejects with a HistoryError. */
  add(line: string, canWait: boolean): Promise<void>;
  close(): void;
}

/** For which a line that can wait does so. */
const longestWaitMs = 10;

/**
 * Space that is taken in advance, in bytes, filled with blanks: to sync what is written over it takes half as long as
 * to sync a file that grows, whose new size the disk has to note as well.
 */
const spaceAhead = 256 * 1024;

interface Waiting {
  readonly line: string;
  resolve(): void;
  reject(error: HistoryError): void;
}

/**
 * Lines that come in one turn of the event loop, or while others are synced, are written and synced together. The disk is
 * waited for in another thread: answers that come meanwhile are read, and what is on disk is sent.
 */
export function writeTogether(file: string, descriptor: number, { fileSystem }: Files): LogWriter {
  let waiting: Waiting[] = [];
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let isSyncing = false;
  /** Lines are to be written as soon as the others are synced. */
  let isDue = false;
  /** Where the next line goes, and where the space that was taken ends. */
  let end = 0;
  let spaceEnd = 0;
  /** Some file systems count none. */
  const linksAtFirst = fileSystem.fstatSync(descriptor).nlink;
  /** A disk that has no more room for blanks may still have some for the lines. */
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

  /** Nothing is sent for lines that were not synced, and half a line among others would be damage. */
  function takeBack(start: number): void {
    end = start;
    try {
      fileSystem.ftruncateSync(descriptor, start);
      spaceEnd = start;
    } catch {
      // What is written next overwrites it.
    }
  }

  /** Somebody has taken the file away, or its folder: what is written to it stands nowhere. */
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
        throw new HistoryError('history_unwritable', `Cannot write ${file}: it was removed.`, file);
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
        if (canWait) later ??= setTimeout(write, longestWaitMs);
        else soon ??= setImmediate(write);
      }),
    close() {
      try {
        fileSystem.ftruncateSync(descriptor, end);
      } catch {
        // The blanks stay, which readers pass over.
      }
      fileSystem.closeSync(descriptor);
    },
  };
}
