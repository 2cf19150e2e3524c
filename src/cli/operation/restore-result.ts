import { asObject, parseJson } from '../../base/json.ts';
import { createBackup, restoreBackup } from '../../contract/operations/backups.ts';
import { idInPath } from '../../history/known-objects.ts';
import type { HistoryRecord } from '../../history/records/record.ts';
import type { Context } from '../command/context.ts';
import { listKnown } from '../command/known.ts';
import { printable } from '../core/sanitize.ts';
import { answerBody } from '../output/record-summary.ts';
import { idIfAny } from './run/print-result.ts';
import { flagsToReach } from './run/target-flags.ts';

export const safetyLabel = 'Safety backup before restoring ';

/** `Restored store, blog from backup 01a1… ("nightly")`. */
export async function describeRestored(context: Context, record: HistoryRecord): Promise<string> {
  const backupId = idInPath(record.path) ?? '';
  const label = (await listKnown(context, 'backup')).find(({ id }) => id === backupId)?.fields.label;
  const suffix = typeof label === 'string' ? ` ("${printable(label)}")` : '';
  return `Restored ${sectionsIn(record).join(', ')} from backup ${backupId}${suffix}`;
}

/** A shell command that restores the safety backup of a restore, or null if there is none. */
export async function undoOfRestore(context: Context, record: HistoryRecord): Promise<string | null> {
  const { safetyBackupId } = record;
  if (safetyBackupId === null) return null;
  const command = await restoreCommand(context, record, safetyBackupId);
  return `${command} --confirm ${shellWord(safetyBackupId)}`;
}

/** For `resume`: says what a restore says, or that one was killed after its safety backup. */
export async function explainRestore(context: Context, record: HistoryRecord): Promise<void> {
  if (record.operation === restoreBackup.id) {
    context.notice(printable(await describeRestored(context, record)));
    const undo = await undoOfRestore(context, record);
    if (undo !== null) context.noticeToCopy(`Undo: ${undo}`);
    return;
  }
  const restore = await unsentRestore(context, record);
  if (restore === null) return;
  const id = String(idIfAny(answerBody(record)) ?? record.id);
  context.notice(`Safety backup ${printable(id)} was taken, but nothing was restored. To restore, run:`);
  context.noticeToCopy(`  ${restore}`);
}

/**
 * The command that restores what a killed restore wanted to, if this record is its safety backup and no restore followed;
 * else null.
 */
async function unsentRestore(context: Context, record: HistoryRecord): Promise<string | null> {
  const label = String(asObject(parseJson(record.body)).label);
  if (record.operation !== createBackup.id || !label.startsWith(safetyLabel)) return null;
  const safetyBackupId = idIfAny(answerBody(record));
  const { records } = await (await context.history()).list({ operation: restoreBackup.id });
  if (records.some((restore) => restore.safetyBackupId === safetyBackupId)) return null;
  const wanted = label.slice(safetyLabel.length);
  const backups = (await listKnown(context, 'backup')).filter(
    ({ id, fields }) => `"${String(fields.label)}"` === wanted || id.startsWith(wanted),
  );
  return restoreCommand(context, record, backups.length === 1 ? (backups[0]?.id ?? 'ID') : 'ID');
}

async function restoreCommand(context: Context, record: HistoryRecord, backupId: string): Promise<string> {
  const words = ['storectl', ...(await flagsToReach(context, record)), 'backup', 'restore', backupId];
  return [...words, '--sections', sectionsIn(record).join(',')].map(shellWord).join(' ');
}

function sectionsIn(record: HistoryRecord): string[] {
  const { sections } = asObject(parseJson(record.body));
  return Array.isArray(sections) ? sections.map(String) : [];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
