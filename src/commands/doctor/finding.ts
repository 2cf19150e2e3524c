import type { CliError } from '../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';

/** What one check of `doctor` found. */
export interface Finding {
  /** Stable name of the check: scripts may compare it. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  /** One line. May hold untrusted text. */
  readonly message: string;
  /** How to mend it, or null where there is nothing to do. */
  readonly mend: string | null;
  /** Exit code of the command where this is its first problem. */
  readonly exitCode: ExitCode;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, mend: null, exitCode: exitCodes.done };
}

export function warning(check: string, message: string, mend: string): Finding {
  return { check, status: 'warning', message, mend, exitCode: exitCodes.done };
}

export function problem(check: string, message: string, mend: string, exitCode: ExitCode): Finding {
  return { check, status: 'problem', message, mend, exitCode };
}

/** A check that was not done, and why. */
export function notChecked(check: string, reason: string): Finding {
  return {
    check,
    status: 'skipped',
    message: `not checked: ${reason}`,
    mend: null,
    exitCode: exitCodes.done,
  };
}

/** The problem that another part of the program would end with. */
export function problemOf(check: string, { details }: CliError): Finding {
  return problem(check, details.message, details.hint ?? 'see the message', details.exitCode);
}
