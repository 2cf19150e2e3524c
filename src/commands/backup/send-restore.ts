import { asObject } from '../../base/json.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { ChangeOptions, Result, Run } from '../../cli/operation/call/run.ts';
import { errorOfRun, resultOfChange } from '../../cli/operation/result/expect-applied.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { describeHistoryError } from '../../cli/operation/send/refusals.ts';
import { recordRun } from '../../cli/operation/send/send.ts';
import type { FailedSafetyBackup, Recorded } from '../../history/changes/change-result.ts';
import type { HistoryRecord } from '../../history/record/history-record.ts';

/**
 * Restores a backup, after a safety backup with this label. Without a label, no safety backup is taken. Throws the user's error if the
 * safety backup fails, or if the restore is not applied.
 */
export async function sendRestore(
  run: Run,
  safetyLabel: string | undefined,
  options: ChangeOptions = {},
): Promise<Result> {
  const changed = await recordRun(run, options, safetyLabel);
  switch (changed.kind) {
    case 'safety_backup':
      throw withoutRestore(run, changed);
    case 'change': {
      const { outcome, record, safetyBackup } = changed;
      if (outcome.kind === 'applied') return resultOfChange(run, changed);
      const error = errorOfRun(run, outcome, record);
      throw safetyBackup === null ? error : withSafetyBackup(error, record.safetyBackupId);
    }
  }
}

/** The error if the restore was not sent, because its safety backup failed. */
function withoutRestore(run: Run, { safetyBackup, inDoubt }: FailedSafetyBackup): CliError {
  const error = safetyBackupError(run, safetyBackup);
  if (inDoubt === null) return error;
  return new CliError({
    ...error.failure,
    code: 'outcome_unknown',
    exitCode: exitCodes.unknown,
    what: `an earlier attempt to restore it may have been applied, and it was not sent again: ${error.failure.what}`,
    outcome: 'unknown',
    operationId: inDoubt.id,
    safetyBackupId: inDoubt.safetyBackupId ?? undefined,
    next: [{ run: ['resume', inDoubt.id], rest: 'when this is fixed' }],
  });
}

function safetyBackupError(
  { target: { profile, baseUrl }, session }: Run,
  { outcome, record, recordingError }: Recorded,
): CliError {
  if (outcome.kind === 'applied') {
    const { id } = asObject(outcome.body);
    const error = describeHistoryError(recordingError);
    if (error instanceof CliError && typeof id === 'string') {
      const next = [{ say: 'run it again when this is fixed: it takes another safety backup' }];
      return withSafetyBackup(new CliError({ ...error.failure, next }), id);
    }
    return new CliError({
      code: 'no_safety_backup',
      exitCode: exitCodes.notApplied,
      what: 'the service returned no id for the safety backup, so the restore could not be undone',
      next: [{ say: 'add --no-safety-backup to restore without one' }],
      outcome: 'not_sent',
      operationId: record.id,
    });
  }
  const { failure } = outcomeError(session, outcome, {
    class: record.class,
    operation: record.operation,
    recordId: record.id,
    profile,
    baseUrl,
  });
  return new CliError({ ...failure, what: `the safety backup failed: ${failure.what}`, outcome: 'not_sent' });
}

/** Adds to the error of a restore which safety backup was taken. */
function withSafetyBackup(error: CliError, safetyBackupId: HistoryRecord['safetyBackupId']): CliError {
  if (safetyBackupId === null) return error;
  const done = [`safety backup ${safetyBackupId} was taken`];
  return new CliError({ ...error.failure, done, safetyBackupId });
}
