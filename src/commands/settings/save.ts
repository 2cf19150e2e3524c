import { isDeepStrictEqual } from 'node:util';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { mergeObjects } from '../../cli/core/field-path.ts';
import { line } from '../../cli/core/sanitize.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { drawRecord, rowsOfChanges } from '../../cli/output/describe-changes.ts';
import { clientFields, saveSettings } from '../../contract/operations/settings.ts';
import { movedError, prepareSave, readSettings, savedView, settingsRun } from './settings-diff.ts';

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
  preview: mergeIntoCurrent,
  ...savedView,
  dryRunNote: () =>
    phrase`Without --dry-run, these fields are merged into the current settings, and the whole document is sent. To see the changes, run ${toRun('settings', 'diff')} with the same flags.`,
});

/** PUT replaces the document, so the other fields are read first and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const given = run.request.body ?? {};
  const current = await readSettings(run);
  const ifMoved = [{ say: 'run the command again to change the current settings' }];
  const next = clientFields(mergeObjects(current.document, given));
  const { updatedAt } = given;
  // The input says when it was read. Saving it over newer settings would undo the changes of others.
  const isStale = typeof updatedAt === 'string' && updatedAt !== current.document.updatedAt;
  if (isStale && !isDeepStrictEqual(clientFields(current.document), next)) {
    throw movedError(
      given,
      current.document,
      [{ say: 'read them again, or remove updatedAt from the input to save it anyway' }],
      'the settings were changed after your input was read (your input → the current settings)',
    );
  }
  const { changes, contender, send } = await prepareSave(run, current, next, ifMoved);
  if (changes.length > 0) return { text: await drawRecord(rowsOfChanges(changes), run.ui.err), send };
  const text =
    contender === null
      ? line`No changes; nothing was sent.`
      : line`No changes, but ${contender.id} is in doubt and may still change them. They are saved again, so that they stay.`;
  return { text, changesNothing: true, send };
}
