import { HistoryError, type RefusalReason, RefusedError } from '../../../history/errors.ts';
import { CliError, localStateError, type Phrase, phrase, toRun, usageError } from '../../core/errors.ts';
import { type ExitCode, exitCodes } from '../../core/exit-codes.ts';

const show = (id: string) => phrase`run ${toRun('history', 'show', id)} to see it`;

/** What the user is told about a change that the rules of its operation refuse, and how the command ends. */
const refusals: Readonly<
  Record<
    RefusalReason,
    { readonly exitCode: ExitCode; readonly code: string; hint(id: string): Phrase | undefined }
  >
> = {
  in_doubt: {
    exitCode: exitCodes.unknown,
    code: 'outcome_unknown',
    hint: (id) => phrase`run ${toRun('resume', id)} before you run the command again`,
  },
  changed_meanwhile: { exitCode: exitCodes.conflict, code: 'already_sent', hint: show },
  duplicate: {
    exitCode: exitCodes.conflict,
    code: 'already_sent',
    hint: (id) => phrase`${show(id)}, or add --allow-duplicate to send it anyway`,
  },
  only_once: {
    exitCode: exitCodes.conflict,
    code: 'already_sent',
    hint: (id) => phrase`${show(id)}, or add --resubmit to send it anyway`,
  },
  key_reused: {
    exitCode: exitCodes.usage,
    code: 'idempotency_key_reused',
    hint: () =>
      'use another key, or repeat the earlier command exactly; in CI, set STORECTL_CI_JOB to another value for each command of a job',
  },
  not_undoable: { exitCode: exitCodes.conflict, code: 'not_undoable', hint: show },
  already_undone: { exitCode: exitCodes.conflict, code: 'already_undone', hint: show },
  never_applied: { exitCode: exitCodes.conflict, code: 'never_applied', hint: show },
  no_safety_backup: { exitCode: exitCodes.conflict, code: 'no_safety_backup', hint: show },
  former_unknown: { exitCode: exitCodes.conflict, code: 'former_unknown', hint: show },
  nothing_to_undo: {
    exitCode: exitCodes.conflict,
    code: 'nothing_to_undo',
    hint: () => phrase`run ${toRun('history', 'list')} to see the changes of this store`,
  },
};

/** Turns an error of the history into a CLI error; returns any other error unchanged. */
export function describeHistoryError(error: unknown): unknown {
  if (error instanceof RefusedError) {
    const { exitCode, code, hint } = refusals[error.reason];
    const { earlier, fields, message } = error;
    return new CliError({
      code,
      exitCode,
      message: `${message}; nothing was sent`,
      hint: hint(earlier?.id ?? ''),
      outcome: error.reason === 'in_doubt' ? 'unknown' : 'not_sent',
      operationId: earlier?.id,
      ...(fields.length > 0 && {
        fields: fields.map((field) => ({ field, flag: null, detail: 'the value from before is not known' })),
      }),
    });
  }
  if (!(error instanceof HistoryError)) return error;
  const { code, message, advice } = error;
  if (code === 'record_not_found') {
    return usageError(message, advice ?? phrase`run ${toRun('history', 'list')} to see the ids`, { code });
  }
  if (code === 'secret_in_record') {
    return usageError(message, 'remove the API key from the request', { code });
  }
  if (code === 'already_settled') {
    return new CliError({
      code,
      exitCode: exitCodes.conflict,
      message,
      hint: 'only open changes can be marked',
    });
  }
  const advices: Partial<Record<typeof code, Phrase>> = {
    history_damaged: phrase`nothing was sent; run ${toRun('history', 'repair')} to keep what can be read`,
    history_busy: 'nothing was sent; add --timeout SECONDS to change how long to wait',
  };
  return localStateError(
    code,
    message,
    advices[code] ?? (advice === null ? 'nothing was sent' : `nothing was sent; ${advice}`),
  );
}
