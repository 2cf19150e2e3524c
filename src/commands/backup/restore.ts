import { completeKnownId, describeStoreInUse, listKnown } from '../../cli/command/known.ts';
import type { Session } from '../../cli/command/session.ts';
import { usageError } from '../../cli/core/errors.ts';
import { getPath } from '../../cli/core/field-path.ts';
import { argumentValue, isOn } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import type { PreparedInput } from '../../cli/operation/call/operation-command.ts';
import type { OperationRequest, Result, Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { idIfAny } from '../../cli/operation/result/print-result.ts';
import { describeRestored, safetyLabelOf, withSafetyId } from '../../cli/operation/result/restored.ts';
import { confirmById } from '../../cli/operation/send/confirm.ts';
import { send } from '../../cli/operation/send/send.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { type Row, renderRecord } from '../../cli/output/tables.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import type { KnownObject } from '../../history/objects/known-objects.ts';

const noSafetyBackup = '--no-safety-backup';

export const command = operationCommand({
  operation: restoreBackup,
  withoutEffect: 'nothing was restored',
  description: `Replace sections of the store with those of a backup. Other sections stay unchanged. A safety backup of the
same sections is taken first (safetyBackupId in --json), and the command that undoes the restore is printed at the end.
The service also takes an automatic backup (preRestoreBackupId), which the undo does not need.`,
  options: [{ flag: noSafetyBackup, description: 'Do not take a safety backup first', group: 'Safety:' }],
  examples: [
    'backup restore 5f0c… --sections store',
    'backup restore 5f0c… --sections store,blog --confirm 5f0c… --json',
  ],
  confirm: 'backupId',
  toolNote: 'A safety backup of the same sections is taken first.',
  prepare: refuseBeforeSending,
  send: backUpAndRestore,
  done: ({ record }, { session }) => (record === null ? '' : describeRestored(session, record)),
  show: ({ answer }, { ui }) => renderRecord(describeChanged(answer), ui.out),
  dryRunNote: ({ parsed }) =>
    isOn(parsed, noSafetyBackup)
      ? null
      : 'Without --dry-run, a safety backup of the same sections is taken first.',
  id: idIfAny,
});

/** A safety backup for a restore that cannot succeed would only use up space. */
async function refuseBeforeSending(
  body: Record<string, unknown>,
  { session, parsed }: PreparedInput,
): Promise<null> {
  const given = argumentValue(parsed, 'backupId');
  if (given === undefined) return null;
  await refuseLabel(session, given);
  await refuseMissingSections(session, await completeKnownId(session, 'backup', given), sectionsOf(body));
  return null;
}

/** Refuses sections that the backup does not have, if this machine knows which it has. */
async function refuseMissingSections(session: Session, backupId: string, wanted: readonly string[]) {
  const { label, sections } = (await knownFields(session, backupId)) ?? {};
  if (!Array.isArray(sections) || sections.some((section) => typeof section !== 'string')) return;
  const missing = wanted.filter((section) => !sections.includes(section));
  if (missing.length === 0) return;
  const noun = missing.length === 1 ? 'section' : 'sections';
  const backup = typeof label === 'string' ? `"${label}"` : backupId;
  throw usageError(
    printable(`backup ${backup} has no ${noun} ${missing.join(', ')}; it has ${sections.join(', ')}`),
    'use --sections with sections of the backup',
    { code: 'not_in_backup' },
  );
}

async function refuseLabel(session: Session, given: string): Promise<void> {
  const known = await listKnown(session, 'backup');
  const labelled = known.filter(({ fields }) => fields.label === given).map(({ id }) => printable(id));
  if (labelled.length === 0 || known.some(({ id }) => id === given)) return;
  const backups = labelled.length === 1 ? 'backup' : 'backups';
  throw usageError(
    `"${printable(given)}" is the label of ${backups} ${labelled.join(', ')}, not an id`,
    'use the id',
  );
}

async function backUpAndRestore(run: Run): Promise<Result> {
  const { request, ui, session, parsed } = run;
  const { backupId = '' } = request.parameters;
  const sections = sectionsOf(request.body);
  // Those that were chosen at a prompt.
  await refuseMissingSections(session, backupId, sections);
  const from = await describeBackup(session, backupId);
  const what = `the ${printable(sections.join(', '))} ${sections.length === 1 ? 'section' : 'sections'}`;
  const safety = isOn(parsed, noSafetyBackup)
    ? 'No safety backup is taken.'
    : 'A safety backup is taken first.';
  const store = await describeStoreInUse(session);
  ui.notice(`This replaces ${what} of store ${store} with the contents of ${from}. ${safety}`);
  await confirmById(run, backupId, 'Restore this backup?');

  const label = isOn(parsed, noSafetyBackup) ? undefined : await safetyLabelOf(session, backupId);
  const restored = await send(run, { safetyLabel: label });
  const safetyId = restored.record?.safetyBackupId ?? null;
  return safetyId === null ? restored : { ...withSafetyId(restored, safetyId), id: safetyId };
}

/** What the service says that the restore changed, a row for each section of which it says something. */
function describeChanged(answer: unknown): Row[] {
  const fields = (section: string): Row[] => {
    const changed = getPath(answer, ['sections', section, 'changed']);
    if (!Array.isArray(changed)) return [];
    const labels = changed.map((path) => labelOf(String(path).split('.')));
    return [[`Changed ${section}`, labels.join(', ') || 'nothing']];
  };
  const items = (section: string, title: string): Row[] => {
    const counts = ['removed', 'returned'].flatMap((what) => {
      const count = getPath(answer, ['sections', section, what]);
      return typeof count === 'number' ? [`${count} ${what}`] : [];
    });
    return counts.length === 0 ? [] : [[title, counts.join(', ')]];
  };
  return [
    ...fields('store'),
    ...fields('settings'),
    ...items('blog', 'Posts'),
    ...items('endpoints', 'Endpoints'),
  ];
}

function sectionsOf(body: OperationRequest['body']): string[] {
  return Array.isArray(body?.sections) ? body.sections.map(String) : [];
}

async function describeBackup(session: Session, backupId: string): Promise<string> {
  const backup = await findBackup(session, backupId);
  if (backup === null) return `backup ${backupId} (not made on this machine)`;
  const age = formatDistance(Date.parse(backup.createdAt) - Date.now());
  return `backup ${backupId} ("${backup.label}", ${age})`;
}

/** The label and the time of a backup, if this machine knows them. */
async function findBackup(session: Session, backupId: string) {
  const { label, createdAt } = (await knownFields(session, backupId)) ?? {};
  if (typeof label !== 'string' || typeof createdAt !== 'string') return null;
  return { label: printable(label), createdAt };
}

async function knownFields(session: Session, backupId: string): Promise<KnownObject['fields'] | undefined> {
  return (await listKnown(session, 'backup')).find(({ id }) => id === backupId)?.fields;
}
