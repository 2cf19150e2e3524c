import { errorCode } from '../base/error-code.ts';
import type { HistoryRecord } from './journal/history-record.ts';

/** Stable codes of what can go wrong with the history's files. */
export type HistoryErrorCode =
  | 'history_unwritable'
  | 'history_unreadable'
  | 'history_damaged'
  | 'history_locked'
  | 'history_busy'
  | 'disk_full'
  | 'record_not_found'
  | 'already_settled'
  | 'secret_in_record';

/** The history could not do what was asked, and nothing was sent. `message` is a finished clause; `advice` says what to do. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly code: HistoryErrorCode;
  /** The file or folder that it is about, or null. */
  readonly file: string | null;
  /** What a person can do about it, or null where the caller knows better. */
  readonly advice: string | null;

  constructor(
    code: HistoryErrorCode,
    message: string,
    {
      file = null,
      advice = null,
      cause,
    }: { file?: string | null; advice?: string | null; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.file = file;
    this.advice = advice;
  }
}

/** A file is no whole log, or a later version of this program has written it (`newer`). `problem` continues its name. */
export class DamagedError extends HistoryError {
  readonly problem: string;
  readonly kind: 'damaged' | 'newer';

  constructor(file: string, problem: string, kind: DamagedError['kind'] = 'damaged') {
    super(
      'history_damaged',
      `${file} ${problem}`,
      kind === 'newer' ? { file, advice: 'update storectl' } : { file },
    );
    this.problem = problem;
    this.kind = kind;
  }
}

/**
 * Why a change is not begun:
 * - `in_doubt`: `earlier`, which may have been applied, has to be settled first.
 * - `changed_meanwhile`: `earlier` was applied since the caller looked.
 * - `duplicate`: `earlier` was the same, within 24 hours; `only_once`: the service takes one of its kind.
 * - `key_reused`: `earlier` had the same idempotency key and asked for something else.
 * - `not_undoable`: the service cannot take `earlier` back; `already_undone`, `never_applied`, `no_safety_backup` and
 *   `former_unknown` (of the fields in `fields`) say why this one cannot be.
 * - `nothing_to_undo`: there is no change to take back.
 */
export type RefusalReason =
  | 'in_doubt'
  | 'changed_meanwhile'
  | 'duplicate'
  | 'only_once'
  | 'key_reused'
  | 'not_undoable'
  | 'already_undone'
  | 'never_applied'
  | 'no_safety_backup'
  | 'former_unknown'
  | 'nothing_to_undo';

const clauses: Readonly<Record<RefusalReason, (id: string) => string>> = {
  in_doubt: (id) => `an earlier request (${id}) may have been applied`,
  changed_meanwhile: (id) => `another command has just changed this (${id})`,
  duplicate: (id) => `the same was already sent (${id})`,
  only_once: (id) => `this was already sent (${id}), and the service takes it once`,
  key_reused: (id) => `the idempotency key was already used with other arguments (${id})`,
  not_undoable: (id) => `the service cannot take ${id} back`,
  already_undone: (id) => `${id} was already undone`,
  never_applied: (id) => `${id} was not applied`,
  no_safety_backup: (id) => `${id} has no safety backup`,
  former_unknown: (id) => `this machine does not know all values from before ${id}`,
  nothing_to_undo: () => 'there is no change that can be undone',
};

/** A rule of the operation refuses to begin a change. Nothing was sent. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly reason: RefusalReason;
  /** The change that it is about, if any. */
  readonly earlier: HistoryRecord | null;
  /** Of `former_unknown`: the dotted paths that are not known. */
  readonly fields: readonly string[];

  constructor(reason: RefusalReason, earlier: HistoryRecord | null, fields: readonly string[] = []) {
    super(clauses[reason](earlier?.id ?? ''));
    this.reason = reason;
    this.earlier = earlier;
    this.fields = fields;
  }
}

const stateDirectoryAdvice = 'fix that, or choose another state directory with STORECTL_STATE_DIR';

/** A HistoryError from what the file system threw while the history wanted to `action` ("write") `file`. */
export function historyError(error: unknown, action: 'read' | 'write', file: string): HistoryError {
  if (error instanceof HistoryError) return error;
  const code = errorCode(error);
  const what = `cannot ${action} ${file}`;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    const advice = 'free some space and try again';
    return new HistoryError('disk_full', `${what}: no space left`, { file, advice, cause: error });
  }
  if (code === 'EBUSY' || code === 'ETXTBSY') {
    const advice = 'close that program and try again';
    return new HistoryError('history_locked', `${what}: another program has it open`, {
      file,
      advice,
      cause: error,
    });
  }
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new HistoryError(
    action === 'read' ? 'history_unreadable' : 'history_unwritable',
    `${what}: ${reason}`,
    { file, advice: stateDirectoryAdvice, cause: error },
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is not a directory',
  ENOENT: 'cannot create the parent directory',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link (not allowed for the history)',
  EIO: 'I/O error',
};
