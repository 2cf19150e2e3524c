import { asObject, textAt, valueAt } from '../../base/json.ts';
import { listKnown } from '../../cli/command/known.ts';
import type { Session } from '../../cli/command/session.ts';
import { joined, line, type Printable, shorten } from '../../cli/core/sanitize.ts';
import type { OperationRequest, Result, Run } from '../../cli/operation/call/run.ts';
import { formatDistance, formatMinute } from '../../cli/output/format-value.ts';
import { labelOf } from '../../cli/output/labels.ts';
import type { Row } from '../../cli/output/tables.ts';
import { createBackup } from '../../contract/operations/backups.ts';
import type { KnownObject } from '../../history/objects/known-objects.ts';
import {
  type HistoryRecord,
  objectIdOf,
  receivedBody,
  sentBody,
} from '../../history/record/history-record.ts';
import { describeCounts, sectionLabel } from './restoring.ts';

/** The label of the safety backup for a restore of this backup: the same for each restore. */
export async function safetyLabelOf(session: Session, backupId: string): Promise<string> {
  const { label, createdAt } = (await knownBackup(session, backupId)) ?? {};
  const backups = (await session.history()).snapshot().list({ operation: createBackup.id }).records;
  // The label of a safety backup is not taken over: labels would nest.
  const isSafety = backups.some(
    (record) => record.safetyBackupFor !== null && textAt(receivedBody(record), ['id']) === backupId,
  );
  const shown =
    typeof createdAt === 'string' ? `${backupId.slice(0, 8)} (${formatMinute(createdAt)})` : backupId;
  const name = typeof label === 'string' && !isSafety ? label : `before restoring ${shown}`;
  return shorten(line`Safety: ${name}`, 120);
}

/** The backup in words: `backup 01a1… ("nightly", 2 hours ago)`. */
export async function describeBackup(session: Session, backupId: string): Promise<string> {
  const { label, createdAt } = (await knownBackup(session, backupId)) ?? {};
  if (typeof label !== 'string' || typeof createdAt !== 'string')
    return `backup ${backupId} (unknown on this machine: check the id)`;
  return `backup ${backupId} ("${label}", ${formatDistance(Date.parse(createdAt) - Date.now())})`;
}

/** The fields of a backup that this machine knows. */
export async function knownBackup(
  session: Session,
  backupId: string,
): Promise<KnownObject['fields'] | undefined> {
  return (await listKnown(session, 'backup')).find(({ id }) => id === backupId)?.fields;
}

/** `the store and blog sections`. */
export function describeSections(sections: readonly string[]): string {
  const listed = new Intl.ListFormat('en-GB').format(sections);
  return `the ${listed} ${sections.length === 1 ? 'section' : 'sections'}`;
}

/** `the store and blog sections from backup 01a1… ("nightly")`. */
export async function describeRestored(session: Session, record: HistoryRecord): Promise<string> {
  const backupId = objectIdOf(record) ?? '';
  const { label } = (await knownBackup(session, backupId)) ?? {};
  const suffix = typeof label === 'string' ? ` ("${label}")` : '';
  const sections = sectionsOf(asObject(sentBody(record)));
  return `${describeSections(sections)} from backup ${backupId}${suffix}`;
}

/** How the result of a restore is printed, with what the service says that it changed. */
export const restoredView = {
  done: async ({ record }: Pick<Result, 'record'>, { session }: Pick<Run, 'session'>) =>
    record === null ? '' : `Restored ${await describeRestored(session, record)}`,
  show: ({ response }: Result) => rowsOfRestored(response),
  note: noteBackups,
};

/** Which backup has what was replaced: the one that `undo` restores, and the service's own. */
function noteBackups({ response, record }: Result): Printable | null {
  const own = record?.safetyBackupId ?? null;
  const byService = textAt(response, ['preRestoreBackupId']);
  const parts = [
    ...(own === null ? [] : [`Safety backup: ${own} (undo goes back to it)`]),
    ...(byService === null || byService === own ? [] : [`The service's own backup: ${byService}`]),
  ];
  return parts.length === 0
    ? null
    : joined(
        parts.map((part) => line`${part}`),
        '\n',
      );
}

/** A row for each section whose changes are in the response. */
export function rowsOfRestored(response: unknown): Row[] {
  const sections = Object.entries(asObject(valueAt(response, ['sections'])));
  return sections.flatMap(([section, change]): Row[] => {
    const described = describeSection(asObject(change));
    return described === null ? [] : [[sectionLabel(section), described]];
  });
}

/** `restored: Name, Cashback` for fields, `3 removed, 1 brought back` for objects. Null if the response has neither. */
function describeSection({ changed, removed, returned }: Readonly<Record<string, unknown>>): string | null {
  if (Array.isArray(changed)) {
    const labels = changed.map((path) => labelOf(String(path).split('.')));
    return labels.length === 0 ? 'unchanged' : `restored: ${labels.join(', ')}`;
  }
  return removed === undefined && returned === undefined ? null : describeCounts({ removed, returned });
}

export function sectionsOf(body: OperationRequest['body']): string[] {
  return Array.isArray(body?.sections) ? body.sections.map(String) : [];
}
