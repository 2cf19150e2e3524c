import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { type HistoryError, historyError } from './errors.ts';
import type { Files } from './files.ts';

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

const sync = promisify(fs.fdatasync);

interface Waiting {
  readonly line: string;
  readonly canWait: boolean;
  resolve(): void;
  reject(error: HistoryError): void;
}

/** Lines that come while others are being synced are written and synced together afterwards. */
export function writeTogether(file: string, descriptor: number, { fileSystem }: Files): LogWriter {
  let waiting: Waiting[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  /** Where the next line goes, and where the space that was taken ends. */
  let end = 0;
  let spaceEnd = 0;
  /** After a write that failed half-way, the next line begins on a line of its own. */
  let separator = '';

  /** A disk that has no more room for blanks may still have some for the lines. */
  function put(text: string): void {
    const size = Buffer.byteLength(text);
    const bytes = Buffer.alloc(end + size > spaceEnd ? size + spaceAhead : size, ' ');
    bytes.write(text);
    const until = end + size;
    while (end < until) {
      const written = until - end;
      const from = size - written;
      const count = fileSystem.writeSync(descriptor, bytes, from, bytes.length - from, end);
      spaceEnd = Math.max(spaceEnd, end + count);
      end += Math.min(count, written);
    }
  }

  async function write(): Promise<void> {
    isWriting = true;
    clearTimeout(timer);
    do {
      // Lets everything that happens in this turn of the event loop come along.
      await new Promise((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      try {
        const lines = separator + group.map(({ line }) => line).join('');
        separator = '\n';
        put(lines);
        await sync(descriptor);
        separator = '';
        for (const { resolve } of group) resolve();
      } catch (cause) {
        const error = historyError(cause, 'write', file);
        for (const { reject } of group) reject(error);
      }
    } while (waiting.some(({ canWait }) => !canWait));
    isWriting = false;
    timer = waiting.length === 0 ? undefined : setTimeout(write, longestWaitMs);
  }

  return {
    add: (line, canWait) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, canWait, resolve, reject });
        if (isWriting) return;
        if (canWait) timer ??= setTimeout(write, longestWaitMs);
        else void write();
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
