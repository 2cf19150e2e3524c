import { errorCode } from '../../base/error-code.ts';
import type { OutcomeKind } from '../../client/outcome.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** One input that is wrong or missing, and the flag or argument that sets it. */
export interface FieldError {
  /** Dotted path in the request body, or the name of the argument. */
  readonly field: string;
  /** `--label`, `<backupId>`, or null where only `--set` reaches the field. */
  readonly flag: string | null;
  readonly detail: string;
}

/** A command of this program that the user may run, without the program's name. */
interface Command {
  readonly run: readonly string[];
}

/** Text in which commands are data, so that the profile is named in them where they are printed. */
export type Phrase = string | readonly (string | Command)[];

/** A command to name in a phrase: `toRun('resume', id)`. */
export function toRun(...words: readonly string[]): Command {
  return { run: words };
}

/** A phrase from a template, whose values may be commands and other phrases. */
export function phrase(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Command | Phrase)[]
): Phrase {
  return texts.flatMap((text, index) => {
    const value = values[index] ?? '';
    if (typeof value === 'number') return [text, String(value)];
    return [text, ...(typeof value === 'string' || 'run' in value ? [value] : value)];
  });
}

/** The phrases one after the other, with a text between them. */
export function joinPhrases(phrases: readonly Phrase[], between: string): Phrase {
  return phrases.flatMap((one, index) => [
    ...(index === 0 ? [] : [between]),
    ...(typeof one === 'string' ? [one] : one),
  ]);
}

export interface ErrorDetails {
  /** Stable name of the error: scripts may compare it. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What happened, in one line. */
  readonly message: string;
  /** The message without the lines that repeat `fields`, where it has some. */
  readonly what?: string | undefined;
  /** What to do next, in one line. */
  readonly hint?: Phrase | undefined;
  readonly outcome?: OutcomeKind | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Why the service refused it, in its own words: untrusted, and part of `message`. */
  readonly reason?: string | undefined;
  /** When the service wants to be asked again, ISO 8601. */
  readonly retryAt?: string | undefined;
  /** Id of the history record, which `storectl resume` and `storectl history show` take. */
  readonly operationId?: string | undefined;
  /** Id of the backup that was taken before the restore that failed. */
  readonly safetyBackupId?: string | undefined;
  readonly fields?: readonly FieldError[] | undefined;
}

/** An error for the user: it ends the command with its exit code, without a stack. */
export class CliError extends Error {
  readonly details: ErrorDetails;

  constructor(details: ErrorDetails) {
    super(details.message);
    this.name = 'CliError';
    this.details = details;
  }
}

/** Wrong usage or invalid input: exit 2, nothing was sent. */
export function usageError(
  message: string,
  hint?: Phrase,
  more: { code?: string; fields?: FieldError[] | undefined } = {},
): CliError {
  return new CliError({
    code: more.code ?? 'usage',
    exitCode: exitCodes.usage,
    message,
    hint,
    outcome: 'not_sent',
    fields: more.fields,
  });
}

/** A value that the user gave is not valid: exit 2, nothing was sent. */
export function invalidInput(message: string, hint: Phrase, fields?: FieldError[]): CliError {
  return usageError(message, hint, { code: 'invalid_input', fields });
}

/** Settings, history or another local file cannot be used: exit 11. */
export function localStateError(code: string, message: string, hint: Phrase): CliError {
  return new CliError({ code, exitCode: exitCodes.localState, message, hint, outcome: 'not_sent' });
}

/** The user pressed Ctrl-C, or said no, before anything was sent. */
export function cancelledError(unsent = 'nothing was sent'): CliError {
  return new CliError({
    code: 'cancelled',
    exitCode: exitCodes.cancelled,
    message: `cancelled; ${unsent}`,
    outcome: 'not_sent',
  });
}

/** The user pressed Escape at a question. The caller asks the previous question again, if there is one. */
export class WentBack extends CliError {
  constructor() {
    super(cancelledError().details);
  }
}

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EISDIR: 'is a directory',
  ENOTDIR: 'part of the path is not a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  ELOOP: 'symbolic links are not followed here',
  EFBIG: 'the file is too large',
  EDQUOT: 'the disk quota is exceeded',
  SQLITE_NOTADB: 'the file is not a database',
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_CANTOPEN: 'the file cannot be opened',
};

/** A system error in a few words, for the end of a sentence. */
export function describeSystemError(error: unknown): string {
  const code = errorCode(error);
  if (code !== '') return systemErrors[code] ?? code;
  return error instanceof Error ? error.message : String(error);
}
