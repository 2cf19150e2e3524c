import { askWhatChanges } from '../../cli/nothing-to-change.ts';
import { operationCommand, type Preview, type Run } from '../../cli/operation-command.ts';
import { getPath, mergeObjects } from '../../cli/paths.ts';
import { clientFields, movedError, previewSave, readSettings, sameJson } from '../../cli/settings-changes.ts';
import { saveSettings } from '../../contract/settings.ts';

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. The document is read, the given fields are changed in it, and the whole is
saved: what is not named stays, fields that this program does not know included. Stops when somebody else
changed the settings in the meantime. The service's own fields storeId, env and updatedAt are not sent.`,
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > all.json && storectl settings save --from-file all.json',
  ],
  prepare: askWhatChanges(saveSettings, '--quiet-hours-enabled', async (input) => {
    const connection = await input.context.connect();
    const run = {
      ...input,
      connection,
      operation: saveSettings,
      parameters: {},
      body: null,
      interview: null,
    };
    return (await readSettings(run)).document;
  }),
  preview: mergeIntoCurrent,
  dryRunNote: () =>
    'these fields would be changed in the settings as they are then, and the whole sent; `storectl settings diff` shows it',
  id: (answer) => getPath(answer, ['storeId']),
});

/** PUT replaces the document, so what the user did not name has to be read and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const given = run.body ?? {};
  const current = await readSettings(run);
  const next = clientFields(mergeObjects(current.document, given));
  const { updatedAt } = given;
  // A document that was read earlier says when: saving it over newer settings would take others' changes back.
  const isStale = typeof updatedAt === 'string' && updatedAt !== current.document.updatedAt;
  if (isStale && !sameJson(clientFields(current.document), next)) {
    throw movedError(
      run,
      given,
      current.document,
      'read them anew, or take updatedAt out of the input to save it all the same',
    );
  }
  return previewSave(run, current, next, 'run the command again to change the settings as they are now');
}
