import { asObject, isObject, parseJson } from '../../../base/json.ts';
import type { Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { idInPath } from '../../../history/objects/known-objects.ts';
import type { Context } from '../../command/context.ts';
import { listKnown } from '../../command/known.ts';
import { CliError, type ErrorDetails, phrase, toRun } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { printable } from '../../core/sanitize.ts';
import type { Result, Run } from '../call/run.ts';
import { outcomeError } from './outcome-error.ts';

export const safetyLabel = 'Safety backup before restoring ';

/** `Restored store, blog from backup 01a1… ("nightly")`. */
export async function describeRestored(context: Context, record: HistoryRecord): Promise<string> {
  const backupId = idInPath(record.path) ?? '';
  const label = (await listKnown(context, 'backup')).find(({ id }) => id === backupId)?.fields.label;
  const suffix = typeof label === 'string' ? ` ("${printable(label)}")` : '';
  return `Restored ${sectionsIn(record).join(', ')} from backup ${backupId}${suffix}`;
}

export function sectionsIn({ body }: Pick<HistoryRecord, 'body'>): string[] {
  const { sections } = asObject(parseJson(body));
  return Array.isArray(sections) ? sections.map(String) : [];
}

/** The response, which may name backups of the service's own, with the one that `storectl undo` restores. */
export function withSafetyId<Value extends Pick<Result, 'answer' | 'text'>>(
  result: Value,
  safetyBackupId: string,
): Value {
  const { answer, text } = result;
  if (!isObject(answer) || 'safetyBackupId' in answer) return result;
  const separator = Object.keys(answer).length === 0 ? '' : ',';
  const member = `${separator}"safetyBackupId":${JSON.stringify(safetyBackupId)}}`;
  // Added to the text, because its numbers would not survive being parsed and written again.
  return { ...result, answer: { ...answer, safetyBackupId }, text: text.replace(/\}\s*$/, () => member) };
}

/**
 * The error of a restore that was not sent, because its safety backup failed or, with a `recordingError`, could not be
 * recorded. `inDoubt` is an earlier attempt that it should have continued.
 */
export function withoutRestore(
  run: Run,
  safetyBackup: Recorded,
  recordingError: unknown,
  inDoubt: HistoryRecord | null,
): unknown {
  const error = safetyBackupError(run, safetyBackup, recordingError);
  if (inDoubt === null || !(error instanceof CliError)) return error;
  const clause = 'an earlier attempt to restore it may have been applied, and nothing was sent again';
  return new CliError({
    ...beginningWith(clause, error.details),
    code: 'outcome_unknown',
    exitCode: exitCodes.unknown,
    outcome: 'unknown',
    operationId: inDoubt.id,
    safetyBackupId: inDoubt.safetyBackupId ?? undefined,
    hint: phrase`run ${toRun('resume', inDoubt.id)} when this is fixed`,
  });
}

function safetyBackupError(
  { target: { profile, baseUrl }, ui: { context } }: Run,
  { outcome, record }: Recorded,
  error: unknown,
): unknown {
  if (outcome.kind !== 'applied') {
    const { details } = outcomeError(context, outcome, {
      class: record.class,
      recordId: record.id,
      profile,
      baseUrl,
    });
    return new CliError({
      ...beginningWith('the safety backup failed, so nothing was restored', details),
      outcome: 'not_sent',
    });
  }
  const { id } = asObject(outcome.body);
  if (error instanceof CliError && typeof id === 'string') {
    // What it advises says that nothing was sent.
    const hint = 'run it again when this is fixed: it takes another safety backup';
    return withSafetyBackup(new CliError({ ...error.details, hint }), { safetyBackupId: id });
  }
  return new CliError({
    code: 'no_safety_backup',
    exitCode: exitCodes.notApplied,
    message:
      'the service returned no id for the safety backup, so the restore could not be undone; nothing was restored',
    hint: 'add --no-safety-backup to restore without one',
    operationId: record.id,
  });
}

/** The error of a restore after its safety backup: something was sent, and says which. */
export function withSafetyBackup(
  error: unknown,
  { safetyBackupId }: Pick<HistoryRecord, 'safetyBackupId'>,
): unknown {
  if (!(error instanceof CliError) || safetyBackupId === null) return error;
  const { details } = error;
  const restore =
    details.outcome === 'unknown' ? 'and the restore may have been applied' : 'but nothing was restored';
  const taken = `safety backup ${printable(safetyBackupId)} was taken, ${restore}`;
  return new CliError({ ...beginningWith(taken, details), safetyBackupId });
}

function beginningWith(clause: string, details: ErrorDetails): ErrorDetails {
  const { message, what } = details;
  return {
    ...details,
    message: `${clause}: ${message}`,
    ...(what !== undefined && { what: `${clause}: ${what}` }),
  };
}
