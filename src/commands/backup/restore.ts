import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Session } from '../../cli/command/session.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue, isOn } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import type { GivenInput, OperationInput } from '../../cli/operation/call/operation-input.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { confirm } from '../../cli/operation/confirm.ts';
import { findId } from '../../cli/operation/find-ids.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { untilAccepted } from '../../cli/operation/until-accepted.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { describeReplaced } from './describe-replaced.ts';
import { knownBackup, restoredView, safetyLabelOf, sectionsOf } from './restored.ts';
import { sendRestore } from './send-restore.ts';

const noSafetyBackup = '--no-safety-backup';

const input: OperationInput = {
  operation: restoreBackup,
  options: [{ flag: noSafetyBackup, description: 'Do not take a safety backup first', group: 'Safety:' }],
  confirm: 'backupId',
};

export const command: CommandDefinition = {
  ...describeOperation(input),
  tool: toolOf(input, 'A safety backup of the same sections is taken first.'),
  withoutEffect: 'nothing was restored',
  description: `Replace sections of the store with those of a backup. Other sections stay unchanged. A safety backup of the
same sections is taken first, and the command that undoes the restore is printed at the end.`,
  details: `--quiet prints the id of the restore, which \`undo\` takes. \`history show\` names its safety backup. The service also
takes an automatic backup (preRestoreBackupId), which the undo does not need.`,
  examples: [
    'backup restore 5f0c… --sections store',
    'backup restore 5f0c… --sections store,blog --confirm 5f0c… --json',
  ],
  async run(call) {
    const isSafe = !isOn(call.parsed, noSafetyBackup);
    const run = await readInput(call, input, { prepare: refuseBeforeAsking });
    if (call.session.flags.dryRun)
      return printDryRun(run, {
        note: isSafe ? dryRunNote : null,
        preview: () => describeReplaced(run, isSafe),
      });
    await announce(run);
    const result = await untilAccepted(run, () => confirmAndRestore(run, isSafe));
    return printResult(run, restoredView, result);
  },
};

const dryRunNote = line`Without --dry-run, a safety backup of the same sections is taken first.`;

async function confirmAndRestore(run: Run, isSafe: boolean): Promise<Result> {
  const { request, session } = run;
  const { backupId = '' } = request.parameters;
  // `refuseBeforeAsking` has checked sections from flags. These may have been chosen at a prompt.
  await refuseMissingSections(session, backupId, sectionsOf(request.body));
  const safetyLabel = isSafe ? await safetyLabelOf(session, backupId) : undefined;
  const shown = await describeReplaced(run, isSafe);
  await confirm(run, { question: 'Restore this backup?', id: backupId, shown, alwaysShow: true });
  return sendRestore(run, safetyLabel);
}

/** Refuses sections that the backup does not have, before the user is asked anything and before a safety backup is taken. */
async function refuseBeforeAsking(
  body: Record<string, unknown>,
  { session, parsed }: GivenInput,
): Promise<void> {
  const given = argumentValue(parsed, 'backupId');
  if (given === undefined) return;
  await refuseMissingSections(session, await findId(session, 'backup', given), sectionsOf(body));
}

/** Throws exit 2 for sections that the backup does not have, if this machine knows the sections of the backup. */
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
