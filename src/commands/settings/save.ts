import { usageError } from '../../cli/core/errors.ts';
import { getPath, mergeObjects } from '../../cli/core/field-path.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { parseObject } from '../../cli/input/input-files.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import type { PreparedInput, Preview } from '../../cli/operation/run/operation-command.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import {
  clientFields,
  movedError,
  previewSave,
  readSettings,
  sameJson,
  settingsRun,
} from './settings-diff.ts';

const undo = '--undo';

const askChanges = askWhatChanges(saveSettings, '--quiet-hours-enabled', async (input) => {
  return (await readSettings(await settingsRun(input))).document;
});

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. The document is read, the given fields are changed in it, and the whole is
saved: what is not named stays, fields that this program does not know included. Stops when somebody else
changed the settings in the meantime. The service's own fields storeId, env and updatedAt are not sent.`,
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
      description: 'Put back the settings from before this change, an id of `storectl history list`',
      group: 'Input:',
      complete: 'record',
    },
  ],
  prepare: async (body, input) => {
    const id = optionValue(input.parsed, undo);
    if (id === undefined) return askChanges(body, input);
    if (Object.keys(body).length > 0) throw usageError(`${undo} excludes fields`, 'leave one of them out');
    Object.assign(body, clientFields(await formerSettings(input, id)));
    return null;
  },
  preview: mergeIntoCurrent,
  dryRunNote: ({ ui }) =>
    optionValue(ui.parsed, undo) !== undefined
      ? null
      : 'these fields would be changed in the settings as they are then, and the whole sent; `storectl settings diff` shows it',
  id: (answer) => getPath(answer, ['storeId']),
});

/** The document that the change with this id replaced. Throws a usage error where the history has none. */
async function formerSettings({ context }: PreparedInput, id: string): Promise<Record<string, unknown>> {
  const record = await (await context.history()).get(id);
  const { origin, storeId } = await context.connect();
  const reason =
    record.operation !== saveSettings.id || record.former === null
      ? 'is no change of the settings'
      : record.origin !== origin || record.storeId !== storeId
        ? `is a change of store ${record.storeId} @ ${record.origin}`
        : null;
  if (reason === null) return parseObject(record.former ?? '', `the former document of ${record.id}`);
  throw usageError(
    `${record.id} ${reason}: there is nothing to put back`,
    '`storectl history list --operation settings.save` shows those that are',
  );
}

/** PUT replaces the document, so what the user did not name has to be read and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const given = run.request.body ?? {};
  const current = await readSettings(run);
  const movedHint = 'run the command again to change the settings as they are now';
  if (optionValue(run.ui.parsed, undo) !== undefined) return previewSave(run, current, given, movedHint);
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
  return previewSave(run, current, next, movedHint);
}
