import { completeKnownId } from '../../cli/command/known.ts';
import type { Session } from '../../cli/command/session.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue, isOn } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import type { PreparedInput, Preview } from '../../cli/operation/call/operation-command.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { describeReplaced } from './describe-replaced.ts';
import { knownBackup, restoredView, safetyLabelOf, sectionsOf } from './restored.ts';
import { sendRestore } from './send-restore.ts';

const noSafetyBackup = '--no-safety-backup';

export const command = operationCommand({
  operation: restoreBackup,
  withoutEffect: 'nothing was restored',
  description: `Replace sections of the store with those of a backup. Other sections stay unchanged. A safety backup of the
same sections is taken first, and the command that undoes the restore is printed at the end.`,
  details: `--quiet prints the id of the restore, which \`undo\` takes. \`history show\` names its safety backup. The service also
takes an automatic backup (preRestoreBackupId), which the undo does not need.`,
  options: [{ flag: noSafetyBackup, description: 'Do not take a safety backup first', group: 'Safety:' }],
  examples: [
    'backup restore 5f0c… --sections store',
    'backup restore 5f0c… --sections store,blog --confirm 5f0c… --json',
  ],
  confirm: 'backupId',
  question: 'Restore this backup?',
  toolNote: 'A safety backup of the same sections is taken first.',
  prepare: refuseBeforeSending,
  preview: previewRestore,
  ...restoredView,
  dryRunNote: ({ parsed }) =>
    isOn(parsed, noSafetyBackup)
      ? null
      : line`Without --dry-run, a safety backup of the same sections is taken first.`,
});

/** A safety backup for a restore that cannot succeed would only use up space. */
async function refuseBeforeSending(
  body: Record<string, unknown>,
  { session, parsed }: PreparedInput,
): Promise<void> {
  const given = argumentValue(parsed, 'backupId');
  if (given === undefined) return;
  await refuseMissingSections(session, await completeKnownId(session, 'backup', given), sectionsOf(body));
}

/** Refuses sections that the backup does not have, if this machine knows which it has. */
async function refuseMissingSections(session: Session, backupId: string, wanted: readonly string[]) {
  const { label, sections } = (await knownBackup(session, backupId)) ?? {};
  if (!Array.isArray(sections) || sections.some((section) => typeof section !== 'string')) return;
  const missing = wanted.filter((section) => !sections.includes(section));
  if (missing.length === 0) return;
  const noun = missing.length === 1 ? 'section' : 'sections';
  const backup = typeof label === 'string' ? `"${label}"` : backupId;
  throw usageError(
    `backup ${backup} has no ${noun} ${missing.join(', ')}; it has ${sections.join(', ')}`,
    'use --sections with sections of the backup',
    { code: 'not_in_backup' },
  );
}

async function previewRestore(run: Run): Promise<Preview> {
  const { request, session, parsed } = run;
  const { backupId = '' } = request.parameters;
  // Those that were chosen at a prompt.
  await refuseMissingSections(session, backupId, sectionsOf(request.body));
  const isSafe = !isOn(parsed, noSafetyBackup);
  const safetyLabel = isSafe ? await safetyLabelOf(session, backupId) : undefined;
  return {
    text: await describeReplaced(run, isSafe),
    alwaysShow: true,
    send: () => sendRestore(run, safetyLabel),
  };
}
