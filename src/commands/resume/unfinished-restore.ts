import { asObject, type JsonObject, textAt } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { commandLine } from '../../cli/config/phrase.ts';
import { line } from '../../cli/core/sanitize.ts';
import { newRun, type Run } from '../../cli/operation/call/run.ts';
import { confirmById } from '../../cli/operation/confirm.ts';
import { printResult } from '../../cli/operation/result/print-result.ts';
import { agrees } from '../../cli/prompts/ask-or-fail.ts';
import { isMadeKey } from '../../client/idempotency-key.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import type { StoreHistory } from '../../history/history.ts';
import { type HistoryRecord, logIdOf, objectIdOf, sentBody } from '../../history/record/history-record.ts';
import {
  describeBackup,
  describeReplaced,
  restoredView,
  safetyLabelOf,
  sectionsOf,
  sendRestore,
} from '../backup/for-others.ts';
import { createdId } from './describe.ts';

/** The restore that a safety backup was taken for, if its command ended before the restore was begun. Otherwise null. */
export function findUnfinished(history: StoreHistory, record: HistoryRecord) {
  const safetyBackupId = createdId(record);
  if (record.safetyBackupFor === null || record.state !== 'applied' || safetyBackupId === null) return null;
  if (
    history
      .snapshot()
      .recordsOf(logIdOf(record.id))
      .some(({ safetyBackupFor }) => safetyBackupFor === null)
  )
    return null;
  // With the key of the restore that was not begun, so that its command, run again with the same key, does not restore twice.
  const { body } = record.safetyBackupFor;
  const backupId = objectIdOf(record.safetyBackupFor);
  return backupId === null ? null : { safetyBackupId, backupId, body };
}

/** Asks a terminal for the id of the backup, as `backup restore` does. */
export async function confirmRestore(ui: Ui, session: Session, record: HistoryRecord): Promise<void> {
  const backupId = objectIdOf(record) ?? '';
  const run = await runOf(ui, session, backupId, { sections: sectionsOf(asObject(sentBody(record))) });
  await confirmById(run, backupId, 'Restore this backup?');
}

async function runOf(ui: Ui, session: Session, backupId: string, body: JsonObject): Promise<Run> {
  const request = { operation: restoreBackup, parameters: { backupId }, body };
  const parsed = { arguments: {}, options: new Map() };
  return newRun({ ui, session, parsed }, await session.connect(), request);
}

/** Says that the safety backup was taken and the restore was not begun. A terminal offers to go on. */
export async function offerRestore(
  ui: Ui,
  session: Session,
  { safetyBackupId, backupId, body }: NonNullable<ReturnType<typeof findUnfinished>>,
): Promise<void> {
  const from = await describeBackup(session, backupId);
  ui.notice(
    line`Safety backup ${safetyBackupId} was taken, but the restore of ${from} was not begun: nothing was restored.`,
  );
  const key = textAt(body, ['idempotencyKey']);
  const command = [
    ...['backup', 'restore', backupId, '--sections', sectionsOf(body).join(',')],
    ...(key === null || isMadeKey(key) ? [] : ['--idempotency-key', key]),
  ];
  if (!ui.canAsk) return ui.noticeUnwrapped(line`To restore it: ${commandLine(command, session.flags)}`);
  if (!(await agrees(ui, 'Go on with this restore?'))) return;
  const run = await runOf(ui, session, backupId, body);
  ui.notice(await describeReplaced(run, true));
  await confirmById(run, backupId, 'Restore this backup?');
  const result = await sendRestore(run, await safetyLabelOf(session, backupId));
  // With --json, the results of `resume` are the only document.
  if (!ui.json) await printResult(run, restoredView, result);
}
