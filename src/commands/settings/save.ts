import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { line, type Printable } from '../../cli/core/sanitize.ts';
import type { InputSteps } from '../../cli/operation/call/operation-input.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { confirm } from '../../cli/operation/confirm.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { noticeNoChanges } from '../../cli/operation/send/no-changes.ts';
import { untilAccepted } from '../../cli/operation/until-accepted.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { drawSettings, planSave, prepareSave, savedView, warnOfUnknown } from './settings-diff.ts';
import { refuseMistypedSettings } from './unknown-settings.ts';
import { whatChanges } from './what-changes.ts';

const input = { operation: saveSettings };

export const command: CommandDefinition = {
  ...describeOperation(input),
  tool: toolOf(input, 'This tool reads them first, so that only the fields that you give are changed.'),
  description: `Change the operations settings. Only the fields that you set are changed. Stops if someone else changed the
settings in the meantime.`,
  details: `storectl reads the current settings, changes them and saves them as a whole, including fields that it does not know.
storeId, env and updatedAt are read-only and are not sent.`,
  withoutEffect: 'nothing was saved',
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > all.json && storectl settings save --from-file all.json',
  ],
  async run(call) {
    const run = await readInput(call, input, steps);
    if (call.session.flags.dryRun) return printDryRun(run, { note: dryRunNote, preview: () => preview(run) });
    await announce(run);
    const result = await untilAccepted(run, () => confirmAndSave(run));
    return printResult(run, savedView, result);
  },
};

const steps: InputSteps = {
  whatChanges,
  // What a dry run reads is only shown.
  prepare: (body, { session }) => {
    if (session.flags.dryRun) refuseMistypedSettings(body, null);
  },
};

const dryRunNote = phrase`Without --dry-run, these fields are merged into the current settings, and the whole document is sent. To see the changes, run ${toRun('settings', 'diff')} with the same flags.`;

async function preview(run: Run): Promise<Printable> {
  const { changes } = await planSave(run);
  return changes.length === 0 ? line`No changes.` : drawSettings(changes, run.ui.err);
}

/** PUT replaces the document, so the other fields are read first and sent back. */
async function confirmAndSave(run: Run): Promise<Result> {
  const { ui } = run;
  const { current, next } = await planSave(run);
  const ifMoved = [{ say: 'run the command again to change the current settings' }];
  const { changes, changeInDoubt, send } = await prepareSave(run, current, next, ifMoved);
  warnOfUnknown(ui, changes);
  if (changes.length > 0)
    await confirm(run, { question: 'Save these settings?', shown: await drawSettings(changes, ui.err) });
  else noticeNoChanges(run, changeInDoubt);
  return send();
}
