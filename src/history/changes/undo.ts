import { asObject, isObject, leafPaths, valueAt } from '../../base/json.ts';
import type { History, SendOptions } from '../history.ts';
import { changedPaths, overlap, rulesOf } from '../operation-rules.ts';
import { RefusedError } from '../record/errors.ts';
import {
  type HistoryRecord,
  isInDoubt,
  mayBeApplied,
  receivedBody,
  sentBody,
} from '../record/history-record.ts';
import type { Snapshot } from '../snapshot.ts';
import { waitForHolder } from './earlier.ts';
import { changedNothing, lastSeen, withValue } from './replaced-values.ts';

/** A field that a change set: its value from before it, undefined if it was not there, the one that it set, and the last one that was seen. */
export interface UndoneField {
  readonly path: readonly string[];
  readonly replaced: unknown;
  readonly changed: unknown;
  /** What this machine has seen there last; undefined if something else may have changed it since. */
  readonly seen: unknown;
}

/** What taking a change back means. */
export type Undo = {
  readonly record: HistoryRecord;
  /** Later changes of this machine that have changed some of the same, or may have, newest first. */
  readonly later: readonly HistoryRecord[];
} & (
  | { readonly by: 'fields' | 'document'; readonly fields: readonly UndoneField[] }
  | { readonly by: 'backup'; readonly backupId: string; readonly sections: readonly string[] }
);

/** Waits for other processes that send what can be undone, or undo it: until they have ended, that would be in doubt. */
export async function waitForRunning(history: History, options: SendOptions): Promise<void> {
  const concerns = ({ operation }: HistoryRecord) => rulesOf(operation).undo !== undefined;
  for (const record of history.snapshot().records({ open: true })) {
    if (isInDoubt(record) && concerns(record)) await waitForHolder(history, record, options);
  }
}

/**
 * How a change is taken back: that with this id, or the newest that changed something and is neither undone nor an undo.
 * Throws a RefusedError where it cannot be.
 */
export function planUndo(snapshot: Snapshot, id: string | undefined): Undo {
  const record = id === undefined ? newestUndoable(snapshot) : mainRecord(snapshot, id);
  const rules = rulesOf(record.operation);
  // It is a change of the same operation, and reads what such a change does.
  snapshot.openAndRecent(record.operation);
  // An undo is later than what it undoes.
  const after = [...snapshot.records({ since: record.number })];
  const undoing = after.find((other) => other.undoes === record.id && mayBeApplied(other));
  if (undoing !== undefined && isInDoubt(undoing)) throw new RefusedError('in_doubt', undoing);
  if (indexUndos(after)(record) !== null) throw new RefusedError('already_undone', record);
  if (rules.undo === undefined) throw new RefusedError('not_undoable', record);
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') throw new RefusedError('never_applied', record);
  const touched = rules.writes(record);
  const mayHaveChanged = (other: HistoryRecord) =>
    mayBeApplied(other) && overlap(changedPaths(other), touched);
  const later = after.filter((other) => other.number > record.number && mayHaveChanged(other));
  if (rules.undo === 'backup') {
    if (record.safetyBackupId === null) throw new RefusedError('no_safety_backup', record);
    return { record, later, by: 'backup', backupId: record.safetyBackupId, sections: touched };
  }
  return { record, later, by: rules.undo, fields: fieldsOf(record, snapshot) };
}

/** Finds the undo of a change that was applied, among these records; one that was undone itself does not count. */
export function indexUndos(
  records: readonly HistoryRecord[],
): (record: HistoryRecord) => HistoryRecord | null {
  const undos = new Map<string, HistoryRecord[]>();
  for (const record of records) {
    if (record.undoes === null || record.state !== 'applied') continue;
    undos.set(record.undoes, [...(undos.get(record.undoes) ?? []), record]);
  }
  const undoneBy = ({ id }: HistoryRecord): HistoryRecord | null =>
    undos.get(id)?.find((undo) => undoneBy(undo) === null) ?? null;
  return undoneBy;
}

function newestUndoable(snapshot: Snapshot): HistoryRecord {
  const undos: HistoryRecord[] = [];
  for (const record of snapshot.records()) {
    if (record.undoes !== null) undos.push(record);
    else if (
      rulesOf(record.operation).undo !== undefined &&
      mayBeApplied(record) &&
      !changedNothing(record) &&
      indexUndos(undos)(record) === null
    )
      return record;
  }
  throw new RefusedError('nothing_to_undo', null);
}

/** The id of a log means the change of its command, not the backup that was made before it. */
function mainRecord(snapshot: Snapshot, id: string): HistoryRecord {
  const records = snapshot.recordsOf(id);
  return records.find((record) => rulesOf(record.operation).undo !== undefined) ?? snapshot.get(id);
}

/** Throws a RefusedError `replaced_unknown` that names what this machine has not seen. */
function fieldsOf(record: HistoryRecord, snapshot: Snapshot): UndoneField[] {
  const { replaced } = record;
  const sent = sentBody(record);
  const { undo, serverOwned = [] } = rulesOf(record.operation);
  const isDocument = undo === 'document';
  const isComparable = isDocument && replaced !== null;
  const paths = isComparable ? differingPaths(replaced, sent, serverOwned) : leafPaths(sent);
  const unknown = isComparable
    ? []
    : paths.filter((path) => isDocument || valueAt(replaced, path) === undefined);
  if (unknown.length > 0) {
    const names = unknown.map((path) => path.join('.'));
    throw new RefusedError('replaced_unknown', record, names);
  }
  const response = receivedBody(record);
  const changed = isObject(response) ? response : sent;
  const seen = lastSeen(record.operation, snapshot.records({ concerning: [record.operation] }));
  return paths.map((path) => ({
    path,
    replaced: valueAt(replaced, path),
    changed: valueAt(changed, path) ?? null,
    seen: seen?.valueAt(path),
  }));
}

/** The paths at which two documents differ, without what the service sets itself. What was added as a whole is one. */
function differingPaths(replaced: unknown, sent: unknown, owned: readonly string[]): (readonly string[])[] {
  const differing = (one: unknown, other: unknown, path: readonly string[]): (readonly string[])[] => {
    if (!isObject(one) || !isObject(other))
      return JSON.stringify(one ?? null) === JSON.stringify(other ?? null) ? [] : [path];
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) =>
      differing(valueAt(one, [name]), valueAt(other, [name]), [...path, name]),
    );
  };
  return differing(replaced, sent, []).filter(([name = '']) => !owned.includes(name));
}

/** The document with the replaced values at the paths that the change set. */
export function withReplacedValues(
  document: unknown,
  fields: readonly UndoneField[],
): Record<string, unknown> {
  return asObject(
    fields.reduce((changed, { path, replaced }) => withValue(changed, path, replaced), document),
  );
}
