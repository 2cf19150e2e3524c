import { asObject, isObject, parseJson } from '../../../base/json.ts';
import { uuidPattern } from '../../../contract/operation.ts';
import type { Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { idInPath } from '../../../history/objects/known-objects.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { textAt } from '../../core/field-path.ts';
import { printable } from '../../core/sanitize.ts';
import { answerBody } from '../../output/record-summary.ts';
import type { Result, Run } from '../call/run.ts';
import { outcomeError } from './outcome-error.ts';

/** The label of the backup that is taken before one is restored: the same on each run. */
export async function safetyLabelOf(session: Session, backupId: string): Promise<string> {
  const known = (await listKnown(session, 'backup')).find(({ id }) => id === backupId);
  const { records } = (await session.history()).list();
  const made = records.find((record) => textAt(answerBody(record), ['id']) === backupId);
  const label = known?.fields.label;
  // Labels of safety backups would nest. The beginning of a UUID of version 7 is a time.
  const isNamed = typeof label === 'string' && (made?.prepares ?? null) === null;
  const short = uuidPattern.test(backupId) ? backupId.slice(0, 13) : backupId;
  const name = isNamed ? printable(label) : short;
  return [...`Safety backup before restoring ${name}`].slice(0, 120).join('');
}

/** `Restored store, blog from backup 01a1… ("nightly")`. */
export async function describeRestored(session: Session, record: HistoryRecord): Promise<string> {
  const backupId = idInPath(record.path) ?? '';
  const label = (await listKnown(session, 'backup')).find(({ id }) => id === backupId)?.fields.label;
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
  { outcome, record }: Recorded,
  error: unknown,
): unknown {
  if (outcome.kind === 'applied') {
    const { id } = asObject(outcome.body);
    if (error instanceof CliError && typeof id === 'string') {
      const next = [{ say: 'run it again when this is fixed: it takes another safety backup' }];
      return withSafetyBackup(new CliError({ ...error.failure, next }), { safetyBackupId: id });
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
    recordId: record.id,
    profile,
    baseUrl,
  });
  return new CliError({ ...failure, what: `the safety backup failed: ${failure.what}`, outcome: 'not_sent' });
}

/** The error of a restore after its safety backup: something was sent, and says which. */
export function withSafetyBackup(
  error: unknown,
  { safetyBackupId }: Pick<HistoryRecord, 'safetyBackupId'>,
): unknown {
  if (!(error instanceof CliError) || safetyBackupId === null) return error;
  const done = [`safety backup ${printable(safetyBackupId)} was taken`];
  return new CliError({ ...error.failure, done, safetyBackupId });
}
