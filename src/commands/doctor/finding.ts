import type { Session } from '../../cli/command/session.ts';
import type { Phrase } from '../../cli/config/phrase.ts';
import type { CliError } from '../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';
import { describeFailure } from '../../cli/output/failure-text.ts';

/** What one check of `doctor` found. */
export interface Finding {
  /** Stable name of the check: scripts may compare it. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  /** One line. May hold untrusted text. */
  readonly message: string;
  /** What to do about it, or null. */
  readonly fix: Phrase | null;
  /** Exit code of the command if this is its first problem. */
  readonly exitCode: ExitCode;
}

const nothingToDo = { fix: null, exitCode: exitCodes.done };

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, ...nothingToDo };
}

export function warning(check: string, message: string, fix: Phrase): Finding {
  return { check, status: 'warning', message, fix, exitCode: exitCodes.done };
}

export function problem(check: string, message: string, fix: Phrase, exitCode: ExitCode): Finding {
  return { check, status: 'problem', message, fix, exitCode };
}

/** A check that was skipped, and why. */
export function notChecked(check: string, reason: string): Finding {
  return { check, status: 'skipped', message: reason, ...nothingToDo };
}

/** The error that any other command would end with, as a finding. */
export function problemOf({ flags }: Session, check: string, { failure }: CliError): Finding {
  const { message, hint } = describeFailure(failure, { now: Date.now(), flags });
  return { check, status: 'problem', message, fix: hint ?? null, exitCode: failure.exitCode };
}
