import { asObject, isObject, parseJson } from '../../../base/json.ts';
import type { Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { idInPath } from '../../../history/objects/known-objects.ts';
import type { Context } from '../../command/context.ts';
import { listKnown } from '../../command/known.ts';
import { CliError } from '../../core/errors.ts';
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

/** The error of a restore that was not begun, because its safety backup failed, or because it could not be recorded. */
export function withoutRestore(
  { target, ui: { context } }: Run,
  { outcome, record, recordingError }: Recorded,
): CliError {
  const { id } = outcome.kind === 'applied' ? asObject(outcome.body) : {};
  if (typeof id === 'string' && recordingError !== null) {
    const { code, message, advice } = recordingError;
    return new CliError({
      code,
      exitCode: exitCodes.localState,
      message: `safety backup ${printable(id)} was taken, but nothing was restored: ${message}`,
      hint: advice ?? undefined,
      outcome: 'not_sent',
      operationId: record.id,
    });
  }
  if (outcome.kind === 'applied') {
    return new CliError({
      code: 'no_safety_backup',
      exitCode: exitCodes.notApplied,
      message:
        'the service returned no id for the safety backup, so the restore could not be undone; nothing was restored',
      hint: 'add --no-safety-backup to restore without one',
      operationId: record.id,
    });
  }
  const { profile, baseUrl } = target;
  const { details } = outcomeError(context, outcome, {
    class: record.class,
    recordId: record.id,
    profile,
    baseUrl,
  });
  return new CliError({
    ...details,
    outcome: 'not_sent',
    message: `the safety backup failed, so nothing was restored: ${details.message}`,
  });
}

/** The error of a restore after its safety backup: something was sent, and says which. */
export function withSafetyBackup(error: unknown, { safetyBackupId }: HistoryRecord): unknown {
  if (!(error instanceof CliError) || safetyBackupId === null) return error;
  const { details } = error;
  const restore =
    details.outcome === 'unknown' ? 'and the restore may have been applied' : 'but nothing was restored';
  return new CliError({
    ...details,
    message: `safety backup ${printable(safetyBackupId)} was taken, ${restore}: ${details.message}`,
  });
}
