import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import {
  describeSystemError,
  localStateError,
  systemErrorCode,
  usageError,
} from '../../../cli/core/errors.ts';
import { isObject } from '../../../cli/core/json-value.ts';
import type { Decision } from './decisions-file.ts';

/** What became of a row of the file. */
export type RowOutcome =
  /** Decided by this run. */
  | 'applied'
  /** The dispute was decided so before: nothing was sent. */
  | 'unchanged'
  /** An earlier run with the same receipt decided it, and it is so still: nothing was sent. */
  | 'recorded'
  /** Decided otherwise, or in a status that it may not be decided from. */
  | 'conflict'
  | 'not_found'
  /** The service refused to show it or to take the decision. */
  | 'rejected'
  /** The row itself is wrong. */
  | 'invalid'
  /** Sent, and no answer could be read. */
  | 'unknown'
  /** The run ended before its turn. */
  | 'not_sent';

/** A line of a receipt, without the API key. */
export interface ReceiptLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly outcome: RowOutcome;
  /** Line of the file that the decision stands on. */
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  /** The dispute record as it was read right before, and as the service answered. */
  readonly before: unknown;
  readonly after: unknown;
  readonly message: string;
  /** Who decided: profile of this program, and the public id of the key where it can be told. */
  readonly profile: string;
  readonly keyId: string | null;
  readonly origin: string;
  readonly storeId: string;
  readonly requestId: string | null;
  /** Id of the history record. */
  readonly operationId: string | null;
}

/** Earlier lines of a receipt. Fields of other versions may be there, and others missing. */
export type EarlierLine = Readonly<Record<string, unknown>>;

export interface Receipt {
  readonly file: string;
  /** On disk when it returns. Throws exit 11 where it cannot be written. */
  append(line: ReceiptLine): void;
  close(): void;
}

/**
 * The lines of a receipt that is there, or none. A last line that a crash cut off is left out. Throws exit 2 where the
 * file is something else, or the receipt of another store: it is not to be written to then.
 */
export function readReceipt(file: string, target: Pick<ReceiptLine, 'origin' | 'storeId'>): EarlierLine[] {
  let text: string;
  try {
    if (!statSync(file).isFile()) throw new Error('it is no plain file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw unusable(file, describeSystemError(error));
  }
  const lines = text.split('\n');
  return lines.flatMap((line, index): EarlierLine[] => {
    if (line.trim() === '') return [];
    const value = parse(line);
    if (value === null && index === lines.length - 1) return [];
    if (value === null || !('outcome' in value) || !('disputeId' in value)) {
      throw unusable(file, `line ${index + 1} is no line of a receipt`);
    }
    if (value.origin !== target.origin || value.storeId !== target.storeId) {
      throw unusable(
        file,
        `line ${index + 1} is about store ${String(value.storeId)} @ ${String(value.origin)}`,
      );
    }
    return [value];
  });
}

/**
 * Opens a receipt to append to it, made with mode 0600 where there is none: it holds data of buyers. Throws exit 11
 * where that cannot be done, which is certain then before anything is sent.
 */
export function openReceipt(file: string): Receipt {
  const fail = (error: unknown) =>
    localStateError(
      'receipt_unwritable',
      `cannot write the receipt ${file}: ${describeSystemError(error)}`,
      'every decision made so far is in `storectl history list --operation disputes.decide`; choose another file with --receipt',
    );
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  let descriptor: number;
  try {
    const isNew = !existsSync(file);
    descriptor = openSync(file, O_RDWR | O_APPEND | O_CREAT, 0o600);
    if (isNew) syncFolder(path.dirname(file));
    else endLastLine(descriptor);
  } catch (error) {
    throw fail(error);
  }
  return {
    file,
    append(line) {
      try {
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
        fsyncSync(descriptor);
      } catch (error) {
        throw fail(error);
      }
    },
    close: () => closeSync(descriptor),
  };
}

/** A crash may have left half a line, which is taken away, or a whole one without its end. */
function endLastLine(descriptor: number): void {
  const bytes = readFileSync(descriptor);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return;
  if (parse(bytes.subarray(end).toString()) === null) ftruncateSync(descriptor, end);
  else writeSync(descriptor, '\n');
}

/** Makes the name of a new file survive a power cut, where the system can. */
function syncFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, 'r');
  } catch {
    // Windows opens no folders; its file system journals names by itself.
    return;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function unusable(file: string, reason: string) {
  return usageError(
    `${file} cannot be used as the receipt: ${reason}`,
    'name another file with --receipt; nothing was sent',
    { code: 'unusable_receipt' },
  );
}
