import { phrase, toRun } from '../../cli/config/phrase.ts';
import { line } from '../../cli/core/sanitize.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import {
  drawSettings,
  planSave,
  prepareSave,
  readSettings,
  savedView,
  settingsRun,
  warnOfUnknown,
} from './settings-diff.ts';
import { refuseMistypedSettings } from './unknown-settings.ts';

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. Only the fields that you set are changed. Stops if someone else changed the
settings in the meantime.`,
  details: `storectl reads the current settings, changes them and saves them as a whole, including fields that it does not know.
storeId, env and updatedAt are read-only and are not sent.`,
  toolNote: 'This tool reads them first, so that only the fields that you give are changed.',
  question: 'Save these settings?',
  withoutEffect: 'nothing was saved',
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > all.json && storectl settings save --from-file all.json',
  ],
  whatChanges: {
    example: '--quiet-hours-enabled',
    read: async (input) => ({ current: (await readSettings(await settingsRun(input))).document }),
  },
  // A dry run reads nothing.
  prepare: (body, { session }) => {
    if (session.flags.dryRun) refuseMistypedSettings(body, null);
  },
  preview: mergeIntoCurrent,
  ...savedView,
  dryRunNote: () =>
    phrase`Without --dry-run, these fields are merged into the current settings, and the whole document is sent. To see the changes, run ${toRun('settings', 'diff')} with the same flags.`,
});

/** PUT replaces the document, so the other fields are read first and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const { current, next } = await planSave(run);
  const ifMoved = [{ say: 'run the command again to change the current settings' }];
  const { changes, contender, send } = await prepareSave(run, current, next, ifMoved);
  warnOfUnknown(run.ui, changes);
  if (changes.length > 0) return { text: await drawSettings(changes, run.ui.err), send };
  const text =
    contender === null
      ? line`No changes; nothing was sent.`
      : line`No changes, but ${contender.id} is in doubt and may still change them. They are saved again, so that they stay.`;
  return { text, changesNothing: true, send };
}
