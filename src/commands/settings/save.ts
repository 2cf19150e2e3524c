import { usageError } from '../../cli/errors.ts';
import { operationCommand, type Run } from '../../cli/operation-command.ts';
import { isObject } from '../../cli/output.ts';
import { getPath, mergeObjects } from '../../cli/paths.ts';
import { perform } from '../../cli/perform.ts';
import { saveSettings, serverOwnedSettings, showSettings } from '../../contract/settings.ts';

export const command = operationCommand({
  operation: saveSettings,
  description: `Change the operations settings. The document is read first, the given fields are changed in it, and the
whole is saved: what is not named stays, fields that this program does not know included. The fields\nstoreId, env and updatedAt are the service's own and are not sent.`,
  examples: [
    'settings save --quiet-hours-enabled --quiet-hours-start 22:00 --quiet-hours-end 07:00',
    'settings save --set templates.dispute_opened.title="New dispute"',
    'settings show --json > settings.json && storectl settings save --from-file settings.json',
  ],
  prepare(body) {
    if (Object.keys(body).length > 0) return;
    throw usageError(
      'there is nothing to change',
      'give at least one field, for example --quiet-hours-enabled',
    );
  },
  guard: mergeIntoCurrent,
  id: (answer) => getPath(answer, ['storeId']),
});

/** PUT replaces the document, so what the user did not name has to be read and sent back. */
async function mergeIntoCurrent(run: Run): Promise<Run> {
  const current = await perform({ ...run, operation: showSettings, body: null });
  const merged = mergeObjects(isObject(current.answer) ? current.answer : {}, run.body ?? {});
  for (const name of serverOwnedSettings) delete merged[name];
  return { ...run, body: merged, ...(current.etag !== null && { ifMatch: current.etag }) };
}
