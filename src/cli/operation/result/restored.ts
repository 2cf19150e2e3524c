import { asObject, parseJson } from '../../../base/json.ts';
import { createBackup } from '../../../contract/operations/backups.ts';
import type { FailedSafetyBackup } from '../../../history/changes/safety-backup.ts';
import type { Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { idInPath, type KnownObject } from '../../../history/objects/known-objects.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { getPath, textAt } from '../../core/field-path.ts';
import { line, shorten } from '../../core/sanitize.ts';
import { formatDistance, formatMinute } from '../../output/format-value.ts';
import { labelOf } from '../../output/labels.ts';
import { answerBody } from '../../output/record-summary.ts';
import type { Row } from '../../output/tables.ts';
import type { OperationRequest, Result, Run } from '../call/run.ts';
import { outcomeError } from './outcome-error.ts';
import { describeExchange, sectionLabel } from './restoring.ts';

/** The label of the backup that is taken before one is restored: the same on each run. */
export async function safetyLabelOf(session: Session, backupId: string): Promise<string> {
  const { label, createdAt } = (await knownBackup(session, backupId)) ?? {};
  const backups = (await session.history()).list({ operation: createBackup.id }).records;
  // Labels of safety backups would nest.
  const isSafety = backups.some(
    (record) => record.safetyBackupFor !== null && textAt(answerBody(record), ['id']) === backupId,
  );
  const shown =
    typeof createdAt === 'string' ? `${backupId.slice(0, 8)} (${formatMinute(createdAt)})` : backupId;
  const name = typeof label === 'string' && !isSafety ? label : `before restoring ${shown}`;
  return shorten(line`Safety: ${name}`, 120);
}

/** `backup 01a1… ("nightly", 2 hours ago)`. */
export async function describeBackup(session: Session, backupId: string): Promise<string> {
  const { label, createdAt } = (await knownBackup(session, backupId)) ?? {};
  if (typeof label !== 'string' || typeof createdAt !== 'string')
    return `backup ${backupId} (unknown on this machine: check the id)`;
  return `backup ${backupId} ("${label}", ${formatDistance(Date.parse(createdAt) - Date.now())})`;
}

/** The fields of a backup that this machine knows. */
export async function knownBackup(
  session: Session,
  backupId: string,
): Promise<KnownObject['fields'] | undefined> {
  return (await listKnown(session, 'backup')).find(({ id }) => id === backupId)?.fields;
}

/** `store, blog from backup 01a1… ("nightly")`. */
export async function describeRestored(session: Session, record: HistoryRecord): Promise<string> {
  const backupId = idInPath(record.path) ?? '';
  const { label } = (await knownBackup(session, backupId)) ?? {};
  const suffix = typeof label === 'string' ? ` ("${label}")` : '';
  const sections = sectionsOf(asObject(parseJson(record.body)));
  return `${sections.join(', ')} from backup ${backupId}${suffix}`;
}

/** How a restore is shown, with what the service says it changed. */
export const restoredView = {
  done: async ({ record }: Pick<Result, 'record'>, { session }: Pick<Run, 'session'>) =>
    record === null ? '' : `Restored ${await describeRestored(session, record)}`,
  show: ({ answer }: Result) => rowsOfRestored(answer),
};

/** A row for each section of which the service says what changed. */
export function rowsOfRestored(answer: unknown): Row[] {
  const sections = Object.entries(asObject(getPath(answer, ['sections'])));
  return sections.flatMap(([section, change]): Row[] => {
    const described = describeSection(asObject(change));
    return described === null ? [] : [[sectionLabel(section), described]];
  });
}

/** `restored: Name, Cashback` for fields, `3 removed, 1 brought back` for objects. Null if neither is there. */
function describeSection({ changed, removed, returned }: Readonly<Record<string, unknown>>): string | null {
  if (Array.isArray(changed)) {
    const labels = changed.map((path) => labelOf(String(path).split('.')));
    return labels.length === 0 ? 'unchanged' : `restored: ${labels.join(', ')}`;
  }
  return removed === undefined && returned === undefined ? null : describeExchange({ removed, returned });
}

export function sectionsOf(body: OperationRequest['body']): string[] {
  return Array.isArray(body?.sections) ? body.sections.map(String) : [];
}

/** The error of a restore that was not sent. */
export function withoutRestore(
  run: Run,
  { safetyBackup, inDoubt }: FailedSafetyBackup,
  recordingError: unknown,
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

/** The error of a restore after its safety backup: it says which one was taken. */
export function withSafetyBackup(
  error: unknown,
  { safetyBackupId }: Pick<HistoryRecord, 'safetyBackupId'>,
): unknown {
  if (!(error instanceof CliError) || safetyBackupId === null) return error;
  const done = [`safety backup ${safetyBackupId} was taken`];
  return new CliError({ ...error.failure, done, safetyBackupId });
}
