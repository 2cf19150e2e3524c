import type { OutcomeKind } from '../../client/outcome/outcome.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** One input that is wrong or missing, and the flag or argument that sets it. */
export interface FieldError {
  /** Dotted path in the request body, or the name of the argument. */
  readonly field: string;
  /** `--label`, `<backupId>`, or null where only `--set` reaches the field. */
  readonly flag: string | null;
  /** Continues the name of a wrong field: `must be a whole number`; describes a missing one. */
  readonly detail: string;
  /** How to give a missing value: `--label TEXT`. */
  readonly give?: string;
}

/** What is wrong in a file that was to be sent. */
interface FileError {
  readonly path: string;
  /** From 1; null if it is not about one line. */
  readonly line: number | null;
  readonly field: string | null;
  readonly reason: string;
}

/** What the user can do next. Commands are data, because they name the profile where they are printed. */
export type Step =
  /** Run a command of this program, without its name. `rest` ends the sentence: `to see the ids`. */
  | { readonly run: readonly string[]; readonly rest?: string; readonly after?: number | null | undefined }
  /** Run the same command again; `after` is when the service wants to be asked again, epoch milliseconds. */
  | { readonly again: true; readonly after?: number | null | undefined }
  | { readonly say: string };

/** Steps in their order, or one of them; a text is something to say. */
export type Next = string | Step | readonly Step[];

/** Why a command failed, as data: `output/failure-text.ts` makes the sentences. */
export interface Failure {
  /** Stable name of the error: scripts may compare it. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** What happened, as a clause. Without it, `fields` say all. */
  readonly what?: string | undefined;
  /** More of it, printed below the clause line by line. */
  readonly lines?: readonly string[];
  readonly fields?: readonly FieldError[] | undefined;
  /** What is wrong in which file. */
  readonly files?: readonly FileError[] | undefined;
  readonly outcome?: OutcomeKind | undefined;
  /** What the command did before it failed, each a clause: `safety backup 01a1… was taken`. */
  readonly done?: readonly string[];
  readonly next?: readonly Step[] | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** The part of `what` that says why: the service's own words where it refused, so untrusted, or what cut the response. */
  readonly reason?: string | undefined;
  /** When the service wants to be asked again, ISO 8601. */
  readonly retryAt?: string | undefined;
  /** Id of the history record, which `storectl resume` and `storectl history show` take. */
  readonly operationId?: string | undefined;
  /** Id of the backup that was taken before the restore that failed. */
  readonly safetyBackupId?: string | undefined;
}

/** An error for the user: it ends the command with its exit code, without a stack. Its message is for a debugger only. */
export class CliError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.what ?? failure.code);
    this.name = 'CliError';
    this.failure = failure;
  }
}

function stepsOf(next: Next): readonly Step[] {
  if (typeof next === 'string') return [{ say: next }];
  return Array.isArray(next) ? next : [next as Step];
}

/** What to do about input that is wrong. */
export const fixInput: readonly Step[] = [{ say: 'fix the input' }, { again: true }];

/** Wrong usage or invalid input: exit 2. */
export function usageError(what: string | undefined, next: Next = [], more: Partial<Failure> = {}): CliError {
  return new CliError({
    code: 'usage',
    exitCode: exitCodes.usage,
    what,
    next: stepsOf(next),
    outcome: 'not_sent',
    ...more,
  });
}

/** Two flags that contradict each other: exit 2. */
export function notTogether(one: string, other: string): CliError {
  return usageError(`${one} and ${other} cannot be used together`, 'remove one of them');
}

/** A value that the user gave is not valid: exit 2. */
export function invalidInput(what: string, next: Next): CliError {
  return usageError(what, next, { code: 'invalid_input' });
}

/** Values of fields are not valid: exit 2. */
export function invalidFields(fields: readonly FieldError[], next: Next): CliError {
  return usageError(undefined, next, { code: 'invalid_input', fields });
}

/** Settings, history or another local file cannot be used: exit 11. */
export function localStateError(code: string, what: string, next: Next): CliError {
  return usageError(what, next, { code, exitCode: exitCodes.localState });
}

/** The user pressed Ctrl-C, or said no, before anything was sent; `what` says how, if it is not clear. */
export function cancelledError(what = 'cancelled'): CliError {
  return usageError(what, [], { code: 'cancelled', exitCode: exitCodes.cancelled });
}

/** The user pressed Escape at a question. The caller asks the previous question again, if there is one. */
export class WentBack extends CliError {
  constructor() {
    super(cancelledError().failure);
  }
}
