import { asObject, isObject, leafPaths, valueAt } from '../../base/json.ts';
import type { SendOptions, StoreHistory } from '../history.ts';
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

/** A field that a change set. */
export interface UndoneField {
  readonly path: readonly string[];
  /** The value from before the change; undefined if the field was not there. */
  readonly replaced: unknown;
  /** The value that the change set. */
  readonly changed: unknown;
  /** The value that this machine has seen last; undefined if a later change may have replaced it. */
  readonly seen: unknown;
}

/** How a change can be undone. */
export type Undo = {
  readonly record: HistoryRecord;
  /** The later changes of this machine that have changed some of the same, or may have. Newest first. */
  readonly later: readonly HistoryRecord[];
} & (
  | { readonly by: 'fields' | 'document'; readonly fields: readonly UndoneField[] }
  | { readonly by: 'backup'; readonly backupId: string; readonly sections: readonly string[] }
);

/** Waits for other processes that are sending a change of an undoable operation: until they have ended, their changes are in doubt. */
export async function waitForRunning(history: StoreHistory, options: SendOptions): Promise<void> {
  const concerns = ({ operation }: HistoryRecord) => rulesOf(operation).undo !== undefined;
  for (const record of history.snapshot().records({ open: true })) {
    if (isInDoubt(record) && concerns(record)) await waitForHolder(history, record, options);
  }
}

/**
 * Plans the undo of the change with this id. Without an id: of the newest change that changed something, was not undone, and is not an
 * undo. Throws a RefusedError if the change cannot be undone.
 */
export function planUndo(snapshot: Snapshot, id: string | undefined): Undo {
  const record = id === undefined ? newestUndoable(snapshot) : mainRecord(snapshot, id);
  const rules = rulesOf(record.operation);
  // The undo is a change of the same operation, so a damaged log that stops such a change also stops the undo.
  snapshot.checkOpenAndRecent(record.operation);
  // An undo has a higher number than the change that it undoes.
  const after = [...snapshot.records({ since: record.number })];
  const undoing = after.find((other) => other.undoes === record.id && mayBeApplied(other));
  if (undoing !== undefined && isInDoubt(undoing)) throw new RefusedError('in_doubt', undoing);
  if (indexUndos(after)(record) !== null) throw new RefusedError('already_undone', record);
  if (rules.undo === undefined) throw new RefusedError('not_undoable', record);
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') throw new RefusedError('never_applied', record);
  const written = rules.writes(record);
  const mayHaveChanged = (other: HistoryRecord) =>
    mayBeApplied(other) && overlap(changedPaths(other), written);
  const later = after.filter((other) => other.number > record.number && mayHaveChanged(other));
  if (rules.undo === 'backup') {
    if (record.safetyBackupId === null) throw new RefusedError('no_safety_backup', record);
    return { record, later, by: 'backup', backupId: record.safetyBackupId, sections: written };
  }
  return { record, later, by: rules.undo, fields: fieldsOf(record, snapshot) };
}

/** A function that finds the applied undo of a change among these records, or null. An undo that was undone itself does not count. */
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

/** The record with this id. The id of a log means the restore in it, not its safety backup. */
function mainRecord(snapshot: Snapshot, id: string): HistoryRecord {
  const records = snapshot.recordsOf(id);
  return records.find((record) => rulesOf(record.operation).undo !== undefined) ?? snapshot.get(id);
}

/** The fields that a change set. Throws a RefusedError `replaced_unknown` with the fields whose values from before are not known. */
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

/** The paths at which two documents differ, without the fields that the service sets. An object that was added is one path. */
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
