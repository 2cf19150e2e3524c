import { advices, type FileProblem, type Files, nodeFileSystem } from '../../base/files/files.ts';
import type { HistoryRecord } from './history-record.ts';

/** Stable codes of what can go wrong with the history. */
export type HistoryErrorCode =
  | 'history_unwritable'
  | 'history_unreadable'
  | 'history_damaged'
  | 'history_locked'
  | 'history_busy'
  | 'lock_lost'
  | 'disk_full'
  | 'record_not_found'
  | 'already_settled'
  | 'secret_in_record';

/**
 * The history cannot be read or written. A function that throws this error has sent nothing. `message` is a clause without a full stop;
 * `advice` says what to do.
 */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly code: HistoryErrorCode;
  /** The file or folder with the problem, or null. */
  readonly file: string | null;
  /** What a person can do, or null if the caller knows that better. */
  readonly advice: string | null;

  constructor(
    code: HistoryErrorCode,
    message: string,
    options: { file?: string; advice?: string | null; cause?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
    this.file = options.file ?? null;
    this.advice = options.advice ?? null;
  }
}

/**
 * A file that is not a whole log (`damaged`), or that a later version of this program has written (`newer`). `problem` follows the name
 * of the file in a sentence: `is empty`.
 */
export class DamagedError extends HistoryError {
  readonly problem: string;
  readonly kind: 'damaged' | 'newer';

  constructor(file: string, problem: string, kind: DamagedError['kind'] = 'damaged') {
    const advice = kind === 'newer' ? 'update storectl' : null;
    super('history_damaged', `${file} ${problem}`, { file, advice });
    this.problem = problem;
    this.kind = kind;
  }
}

/** Whether `history repair` can repair the log. */
export function isDamage(error: unknown): error is DamagedError {
  return error instanceof DamagedError && error.kind === 'damaged';
}

/** Why a change is refused. `id` is that of the earlier change. */
const clauses = {
  /** The earlier change has to be settled first. */
  in_doubt: (id: string) => `an earlier request (${id}) may have been applied`,
  /** The earlier change was applied after the caller has read the object. */
  changed_meanwhile: (id: string) => `another command has just changed this (${id})`,
  /** The earlier change has the same content, and was sent within 24 hours. */
  duplicate: (id: string) => `you sent exactly this before (${id})`,
  only_once: (id: string) => `you sent this before (${id}), and the service accepts it only once`,
  key_reused: (id: string) => `the idempotency key was already used with other arguments (${id})`,
  /** A later change has set the same, and sending it again could overwrite that one, or have a second effect. */
  superseded: (id: string) => `a later change has superseded the one with this idempotency key (${id})`,
  not_undoable: (id: string) => `${id} cannot be undone: only store updates, saved settings and restores can`,
  already_undone: (id: string) => `${id} was already undone`,
  never_applied: (id: string) => `${id} was not applied`,
  no_safety_backup: (id: string) => `${id} has no safety backup`,
  replaced_unknown: (id: string) => `this machine does not know all values from before ${id}`,
  nothing_to_undo: () => 'there is no change left that can be undone; an undo is taken back by its id',
} as const;

export type RefusalReason = keyof typeof clauses;

/** A change that is not begun, because a rule of its operation, of its key or of undo refuses it. Nothing was sent. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly reason: RefusalReason;
  /** The earlier change that is the reason, or null. */
  readonly earlier: HistoryRecord | null;
  /** For `replaced_unknown`: the fields whose replaced values are not known, as dotted paths. */
  readonly fields: readonly string[];

  constructor(reason: RefusalReason, earlier: HistoryRecord | null, fields: readonly string[] = []) {
    super(clauses[reason](earlier?.id ?? ''));
    this.reason = reason;
    this.earlier = earlier;
    this.fields = fields;
  }
}

/** The file system for the history: its failures are HistoryErrors. */
export function historyFiles(platform: string, fileSystem: Files['fileSystem'] = nodeFileSystem): Files {
  const failure = ({ kind, message, file, cause, advice: own }: FileProblem) => {
    const advice =
      own ?? advices[kind] ?? 'fix that, or choose another state directory with STORECTL_STATE_DIR';
    const code = kind === 'disk_full' ? kind : kind === 'lost' ? 'lock_lost' : (`history_${kind}` as const);
    return new HistoryError(code, message, { file, advice, cause });
  };
  return { fileSystem, platform, failure };
}
