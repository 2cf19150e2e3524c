import { asObject } from '../../base/json.ts';
import { rememberObjects } from '../../cli/command/known.ts';
import { joined, line, type Printable } from '../../cli/core/sanitize.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { describeStoreInUse } from '../../cli/operation/call/store-in-use.ts';
import { expectApplied } from '../../cli/operation/result/expect-applied.ts';
import { askForHelp } from '../../cli/operation/send/ask-service.ts';
import { drawRecord } from '../../cli/output/describe-changes.ts';
import { showBackup } from '../../contract/operations/backups.ts';
import { describeLater, type UndoneRestore } from './later-changes.ts';
import { describeBackup, describeSections, sectionsOf } from './restored.ts';
import { rowsOfRestoring } from './restoring.ts';

/**
 * What a restore replaces, and with which backup, for the question whether to restore. A service with `backup.show` says what each
 * section would change. Throws exit 5 if that service says that the backup does not exist.
 */
export async function describeReplaced(
  run: Run,
  takesSafetyBackup: boolean,
  undone: UndoneRestore | null = null,
): Promise<Printable> {
  const { request, session, ui } = run;
  const { backupId = '' } = request.parameters;
  const sections = sectionsOf(request.body);
  const restoring = await askRestoring(run, backupId);
  const what = describeSections(sections);
  const store = await describeStoreInUse(session);
  const from = await describeBackup(session, backupId);
  const newer = restoring === null && sections.includes('blog') ? ' Posts made since then are removed.' : '';
  const safety = takesSafetyBackup
    ? 'A safety backup is taken first: undo goes back to it.'
    : 'No safety backup is taken.';
  const intro = line`This replaces ${what} of store ${store} with ${from}.${newer} ${safety}`;
  const rows = rowsOfRestoring(restoring, sections);
  const later = undone === null ? null : describeLater(undone, restoring, sections);
  return joined(
    [
      intro,
      ...(later === null ? [] : [ui.err.color.yellow(later)]),
      ...(rows.length === 0 ? [] : [await drawRecord(rows, ui.err)]),
    ],
    '\n',
  );
}

/** What a restore of each section would change now, by `backup.show`. Null if the service does not have that read, or the read fails. */
async function askRestoring(run: Run, backupId: string): Promise<unknown> {
  const { session, target } = run;
  const question = { operation: showBackup, parameters: { backupId } };
  const outcome = await askForHelp(session, target, question);
  if (outcome === null) return null;
  // An API key that may restore is perhaps not allowed to read.
  if (outcome.kind === 'rejected' && outcome.status !== 404) return null;
  const request = { ...question, body: null };
  const { body } = expectApplied({ ...run, request }, outcome, null);
  await rememberObjects(session, 'backup', [body]);
  return asObject(body).restoring;
}
