import { getPath, mergeObjects, parsePath, removePath, setPath } from '../../cli/core/field-path.ts';
import { changesBetween, sameJson } from '../../cli/core/json-changes.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import type { Preview } from '../../cli/operation/run/operation-command.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { confirmUndo, readUndoable, undoFlag, undoneId, undoOption } from '../../cli/operation/run/undo.ts';
import { describeChanges } from '../../cli/output/describe-changes.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { savedView } from './saved-view.ts';
import {
  clientFields,
  movedError,
  type PreparedSave,
  prepareSave,
  readSettings,
  settingsRun,
} from './settings-diff.ts';

const askChanges = askWhatChanges({
  example: '--quiet-hours-enabled',
  read: async (input) => (await readSettings(await settingsRun(input))).document,
  more: async (...input) => (await import('./ask-template.ts')).askTemplate(...input),
});

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. Only the fields that you set are changed: storectl reads the current settings,
changes them and saves them as a whole, including fields that it does not know. Stops if someone else changed the settings in
the meantime. storeId, env and updatedAt are read-only and are not sent.`,
  toolNote: 'Only the fields that you give are changed.',
  question: 'Save these settings?',
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > all.json && storectl settings save --from-file all.json',
    'settings save --undo 7k3f9a',
  ],
  options: [undoOption],
  prepare: async (body, input) => {
    const id = undoneId(input.parsed, body);
    if (id === undefined) return askChanges(body, input);
    Object.assign(body, clientFields((await readUndoable(input.context, saveSettings, id)).former));
    return null;
  },
  preview: mergeIntoCurrent,
  ...savedView,
  dryRunNote: ({ ui }) =>
    optionValue(ui.parsed, undoFlag) !== undefined
      ? 'Without --dry-run, only what this change set is undone; later changes of other fields stay.'
      : 'Without --dry-run, these fields are merged into the current settings, and the whole document is sent. To see the changes, run `storectl settings diff` with the same flags.',
});

/** PUT replaces the document, so the other fields are read first and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Preview> {
  const given = run.request.body ?? {};
  const current = await readSettings(run);
  const movedHint = 'run the command again to change the current settings';
  const undone = optionValue(run.ui.parsed, undoFlag);
  if (undone !== undefined) {
    const next = await withoutChange(run, undone, clientFields(current.document));
    return previewOf(run, prepareSave(run, current, next, movedHint), 'Already undone; nothing was sent.');
  }
  const next = clientFields(mergeObjects(current.document, given));
  const { updatedAt } = given;
  // The input says when it was read. Saving it over newer settings would undo the changes of others.
  const isStale = typeof updatedAt === 'string' && updatedAt !== current.document.updatedAt;
  if (isStale && !sameJson(clientFields(current.document), next)) {
    throw movedError(
      run.ui.context,
      given,
      current.document,
      'read them again, or remove updatedAt from the input to save it anyway',
      'Your input → the current settings:',
    );
  }
  return previewOf(run, prepareSave(run, current, next, movedHint));
}

/** The settings with the fields of an earlier change as they were before it. */
async function withoutChange(
  { ui: { context } }: Run,
  id: string,
  current: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { record, former, changed } = await readUndoable(context, saveSettings, id);
  const fields = changesBetween(clientFields(former), clientFields(changed)).map((change) => {
    const path = parsePath(change.path);
    return { path, former: change.before, changed: change.after, now: getPath(current, path) };
  });
  const next = structuredClone(current);
  if (!(await confirmUndo(context, record.id, fields))) return next;
  for (const { path, former: before } of fields) {
    if (before === undefined) removePath(next, path);
    else setPath(next, path, before);
  }
  return next;
}

async function previewOf(
  { ui: { context } }: Run,
  { changes, send }: PreparedSave,
  nothing = 'No changes; nothing was sent.',
): Promise<Preview> {
  const changesNothing = changes.length === 0;
  const text = changesNothing ? nothing : describeChanges(changes, context.now(), context.err);
  return { text, changesNothing, send };
}
