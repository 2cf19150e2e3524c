import type { Phrase } from '../../cli/config/phrase.ts';
import type { CliError, Step } from '../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../cli/core/exit-codes.ts';

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
export function problemOf(check: string, { message, failure }: CliError): Finding {
  return problem(check, message, fixOf(failure.next ?? []), failure.exitCode);
}

function fixOf(steps: readonly Step[]): Phrase {
  return steps.flatMap((step, index) => {
    const between = index === 0 ? '' : '; ';
    if ('say' in step) return [between + step.say];
    return 'run' in step ? [`${between}run `, step, ` ${step.rest ?? ''}`] : [`${between}try again later`];
  });
}
