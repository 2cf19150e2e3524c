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
import { errorCode } from '../../../base/error-code.ts';
import { isObject, parseJson } from '../../../base/json.ts';
import { describeSystemError, localStateError, usageError } from '../../../cli/core/errors.ts';
import { nodeFileSystem, syncFolder } from '../../../history/files/files.ts';
import type { Decision } from './decisions-file.ts';

/** What became of a row of the file. */
export type RowOutcome =
  /** Decided by this run. */
  | 'applied'
  /** The dispute already had this decision: nothing was sent. */
  | 'unchanged'
  /** An earlier run with the same receipt decided it, and it still is: nothing was sent. */
  | 'recorded'
  /** The same as an earlier row: nothing was sent. */
  | 'repeated'
  /** Decided differently, or not in the expected status. */
  | 'conflict'
  | 'not_found'
  /** The service refused to show it or to record the decision. */
  | 'rejected'
  /** The row itself is invalid. */
  | 'invalid'
  /** Sent, and no answer could be read. */
  | 'unknown'
  /** The user skipped it. */
  | 'skipped'
  /** The run stopped before this row. */
  | 'not_sent';

/** A line of a receipt, without the API key. */
export interface ReceiptLine {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly outcome: RowOutcome;
  /** Line of the decision in the file. */
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  /** The dispute record as read right before the decision, and as answered. */
  readonly before: unknown;
  readonly after: unknown;
  readonly message: string;
  /** Who decided: the profile, and the public id of the key, or null if the key has none. */
  readonly profile: string;
  readonly keyId: string | null;
  readonly origin: string;
  readonly storeId: string;
  readonly requestId: string | null;
  /** Id of the history record. */
  readonly operationId: string | null;
}

/** An earlier line of a receipt. Other versions may have written other fields. */
export type EarlierLine = Readonly<Record<string, unknown>>;

export interface Receipt {
  readonly file: string;
  /** Writes a line that says something new to disk (fsync). Throws exit 11 if that fails, and then writes no more. */
  append(line: ReceiptLine): void;
  close(): void;
}

/**
 * The lines of an existing receipt, or none. A last line that a crash cut off is skipped. Throws exit 2 if the file is not
 * a receipt or belongs to another store.
 */
export function readReceipt(file: string, target: Pick<ReceiptLine, 'origin' | 'storeId'>): EarlierLine[] {
  let text: string;
  try {
    if (!statSync(file).isFile()) throw new Error('not a regular file');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw unusable(file, describeSystemError(error));
  }
  const lines = text.split('\n');
  return lines.flatMap((line, index): EarlierLine[] => {
    if (line.trim() === '') return [];
    const value = parse(line);
    if (value === null && index === lines.length - 1) return [];
    if (value === null || !('outcome' in value) || !('disputeId' in value)) {
      throw unusable(file, `line ${index + 1} is not a receipt entry`);
    }
    if (value.origin !== target.origin || value.storeId !== target.storeId) {
      throw unusable(
        file,
        `line ${index + 1} belongs to store ${String(value.storeId)} @ ${String(value.origin)}`,
      );
    }
    return [value];
  });
}

/**
 * Opens a receipt with these earlier lines for appending, or creates it with mode 0600 because it contains data of buyers.
 * Throws exit 11 if that fails, before anything is sent.
 */
export function openReceipt(file: string, earlier: readonly EarlierLine[]): Receipt {
  const fail = (error: unknown) =>
    localStateError(
      'receipt_unwritable',
      `cannot write the receipt ${file}: ${describeSystemError(error)}`,
      'run `storectl history list --operation disputes.decide` to see the decisions so far; choose another file with --receipt',
    );
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  let descriptor: number;
  try {
    const isNew = !existsSync(file);
    descriptor = openSync(file, O_RDWR | O_APPEND | O_CREAT, 0o600);
    if (isNew) syncFolder({ fileSystem: nodeFileSystem, platform: process.platform }, path.dirname(file));
    else endLastLine(descriptor);
  } catch (error) {
    throw fail(error);
  }
  let hasFailed = false;
  return {
    file,
    append(line) {
      if (hasFailed || !isNews(line, earlier)) return;
      try {
        const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
        for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
        fsyncSync(descriptor);
      } catch (error) {
        hasFailed = true;
        throw fail(error);
      }
    },
    close: () => closeSync(descriptor),
  };
}

/** Rows that were not attempted are not recorded, and a row that fails again in the same way is recorded once. */
function isNews(line: ReceiptLine, earlier: readonly EarlierLine[]): boolean {
  if (line.outcome === 'recorded' || line.outcome === 'skipped' || line.outcome === 'not_sent') return false;
  if (line.outcome === 'applied' || line.outcome === 'unknown') return true;
  return !earlier.some((old) =>
    (['outcome', 'line', 'disputeId', 'message'] as const).every((name) => old[name] === line[name]),
  );
}

/** After a crash the last line may be incomplete, which is removed, or lack its newline. */
function endLastLine(descriptor: number): void {
  const bytes = readFileSync(descriptor);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return;
  if (parse(bytes.subarray(end).toString()) === null) ftruncateSync(descriptor, end);
  else writeSync(descriptor, '\n');
}

function parse(line: string): Record<string, unknown> | null {
  const value = parseJson(line);
  return isObject(value) ? value : null;
}

function unusable(file: string, reason: string) {
  return usageError(
    `${file} cannot be used as the receipt: ${reason}`,
    'choose another file with --receipt; nothing was sent',
    { code: 'unusable_receipt' },
  );
}
