import { usageError } from '../../cli/core/errors.ts';
import { getPath, mergeObjects } from '../../cli/core/field-path.ts';
import { sameJson } from '../../cli/core/json-changes.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { parseObject } from '../../cli/input/input-files.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import type { PreparedInput, Preview } from '../../cli/operation/run/operation-command.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { clientFields, movedError, previewSave, readSettings, settingsRun } from './settings-diff.ts';

const undo = '--undo';

const askChanges = askWhatChanges(saveSettings, '--quiet-hours-enabled', async (input) => {
  return (await readSettings(await settingsRun(input))).document;
});

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. Only the fields you give change: the current settings are read, changed and
saved as a whole, with fields that storectl does not know. Stops if someone else changed the settings in the meantime.
storeId, env and updatedAt belong to the service and are not sent.`,
  question: 'Save these settings?',
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > all.json && storectl settings save --from-file all.json',
    'settings save --undo 7k3f9a',
  ],
  options: [
    {
      flag: undo,
      value: 'ID',
      description: 'Restore the settings from before this change (an id from `storectl history list`)',
      group: 'Input:',
      complete: 'record',
    },
  ],
  prepare: async (body, input) => {
    const id = optionValue(input.parsed, undo);
    if (id === undefined) return askChanges(body, input);
    if (Object.keys(body).length > 0)
      throw usageError(`${undo} cannot be used with fields`, 'leave one of them out');
    Object.assign(body, clientFields(await formerSettings(input, id)));
    return null;
  },
  preview: mergeIntoCurrent,
  dryRunNote: ({ ui }) =>
    optionValue(ui.parsed, undo) !== undefined
      ? null
      : 'A real run merges these fields into the current settings and sends all of them; see `storectl settings diff`.',
  id: (answer) => getPath(answer, ['storeId']),
});

/** The document that the change with this id replaced. Throws a usage error if the history has none. */
async function formerSettings({ context }: PreparedInput, id: string): Promise<Record<string, unknown>> {
  const record = await (await context.history()).get(id);
  const { origin, storeId } = await context.connect();
  const reason =
    record.operation !== saveSettings.id || record.former === null
      ? 'did not change the settings'
      : record.origin !== origin || record.storeId !== storeId
        ? `changed another store (${record.storeId} @ ${record.origin})`
        : null;
  if (reason === null) return parseObject(record.former ?? '', `the former document of ${record.id}`);
  throw usageError(
    `${record.id} ${reason}, so there is nothing to undo`,
    '`storectl history list --operation settings.save` shows the changes that can be undone',
  );
}

/** PUT replaces the document, so the other fields are read first and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const given = run.request.body ?? {};
  const current = await readSettings(run);
  const movedHint = 'run the command again to change the settings as they are now';
  if (optionValue(run.ui.parsed, undo) !== undefined) return previewSave(run, current, given, movedHint);
  const next = clientFields(mergeObjects(current.document, given));
  const { updatedAt } = given;
  // The input says when it was read. Saving it over newer settings would undo the changes of others.
  const isStale = typeof updatedAt === 'string' && updatedAt !== current.document.updatedAt;
  if (isStale && !sameJson(clientFields(current.document), next)) {
    throw movedError(
      run,
      given,
      current.document,
      'read them again, or remove updatedAt from the input to save it anyway',
    );
  }
  return previewSave(run, current, next, movedHint);
}
