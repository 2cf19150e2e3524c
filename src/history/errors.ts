import { errorCode } from '../base/error-code.ts';
import type { HistoryRecord } from './records/record.ts';

/** Stable codes of what can go wrong with the history. */
export type HistoryErrorCode =
  | 'history_unwritable'
  | 'history_unreadable'
  | 'history_damaged'
  | 'history_locked'
  | 'history_busy'
  | 'disk_full'
  | 'record_not_found'
  | 'record_ambiguous'
  | 'already_settled'
  | 'secret_in_record';

/** The history could not do what was asked. `message` says what happened, where, and what to do. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly code: HistoryErrorCode;
  /** The file or folder that it is about, or null. */
  readonly file: string | null;

  constructor(code: HistoryErrorCode, message: string, file: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.file = file;
  }
}

const onCommandLine = 'run `storectl history repair` to move it aside and print what can still be read';

/** A file is no whole record. `problem` continues its name, and `advice` says how to repair it. */
export class DamagedError extends HistoryError {
  readonly problem: string;

  constructor(file: string | null, problem: string, advice = onCommandLine) {
    super('history_damaged', `${file} ${problem}; ${advice}`, file);
    this.problem = problem;
  }
}

/**
 * An earlier decision of the same dispute is in doubt, or was applied since the dispute was read. A second one could
 * contradict it, so nothing was sent.
 */
export class EarlierRequestError extends Error {
  override readonly name = 'EarlierRequestError';
  readonly earlier: HistoryRecord;

  constructor(earlier: HistoryRecord) {
    const what = earlier.state === 'applied' ? 'was just applied' : 'may have been applied';
    super(`an earlier decision of this dispute (${earlier.id}) ${what}; nothing was sent`);
    this.earlier = earlier;
  }
}

/** The key was used for something else before. Nothing was sent. */
export class KeyReusedError extends Error {
  override readonly name = 'KeyReusedError';
  readonly code = 'idempotency_key_reused';
  /** The earlier operation with this key. */
  readonly earlier: HistoryRecord;

  constructor(earlier: HistoryRecord) {
    super(
      `idempotency key ${earlier.idempotencyKey} was already used with other arguments; ` +
        `use another key, or repeat the earlier command exactly`,
    );
    this.earlier = earlier;
  }
}

/** A HistoryError from what the file system threw while the history wanted to `action` ("write") `file`. */
export function historyError(error: unknown, action: 'read' | 'write', file: string): HistoryError {
  if (error instanceof HistoryError) return error;
  const code = errorCode(error);
  const what = `cannot ${action} ${file}`;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new HistoryError('disk_full', `${what}: no space left; free some and try again`, file, error);
  }
  if (code === 'EBUSY' || code === 'ETXTBSY') {
    const advice = 'another program has it open; close that program and try again';
    return new HistoryError('history_locked', `${what}: ${advice}`, file, error);
  }
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  const advice = 'Fix that, or choose another state directory with STORECTL_STATE_DIR.';
  return new HistoryError(
    action === 'read' ? 'history_unreadable' : 'history_unwritable',
    `${what}: ${reason}; ${advice}`,
    file,
    error,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is not a directory',
  ENOENT: 'cannot create the parent directory',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link (not allowed for the history)',
  EIO: 'I/O error',
};
