import { asObject, isObject, leafPaths, parseJson } from '../../base/json.ts';
import { DamagedError, RefusedError } from '../errors.ts';
import type { History } from '../history.ts';
import { type HistoryRecord, isInDoubt } from '../journal/history-record.ts';
import { overlap, rulesOf } from '../operation-rules.ts';
import { formerValues, valueAt, withValue } from './former.ts';

/** A field that a change set: its value from before it, undefined if it was not there, the one that it set, and the last one that was seen. */
export interface UndoneField {
  readonly path: readonly string[];
  readonly former: unknown;
  readonly changed: unknown;
  /** What this machine has seen there last; undefined if something else may have changed it since. */
  readonly seen: unknown;
}

/** What taking a change back means. */
export type Undo = {
  readonly record: HistoryRecord;
  /** Later changes of this machine that set some of the same, newest first. */
  readonly later: readonly HistoryRecord[];
} & (
  | { readonly by: 'fields' | 'document'; readonly fields: readonly UndoneField[] }
  | { readonly by: 'backup'; readonly backupId: string; readonly sections: readonly string[] }
);

/**
 * How a change is taken back: that with this id, or the newest that is neither undone nor an undo. Throws a RefusedError where
 * it cannot be.
 */
export function planUndo(history: History, id: string | undefined): Undo {
  const { records, problems } = history.list();
  const [problem] = problems.filter(({ kind }) => kind !== 'foreign');
  if (problem !== undefined) {
    throw new DamagedError(problem.file, problem.message, problem.kind === 'newer' ? 'newer' : 'damaged');
  }
  const record = id === undefined ? newestUndoable(records) : mainRecord(history, id);
  const rules = rulesOf(record.operation);
  const undoing = records.find(
    (other) => other.undoes === record.id && (other.state === 'applied' || isInDoubt(other)),
  );
  if (undoing !== undefined && isInDoubt(undoing)) throw new RefusedError('in_doubt', undoing);
  if (undoing !== undefined && !isUndone(records, undoing)) throw new RefusedError('already_undone', record);
  if (rules.undo === undefined) throw new RefusedError('not_undoable', record);
  if (isInDoubt(record)) throw new RefusedError('in_doubt', record);
  if (record.state !== 'applied') throw new RefusedError('never_applied', record);
  const touched = rules.touches(record);
  const later = records.filter(
    (other) =>
      other.number > record.number &&
      (other.state === 'applied' || isInDoubt(other)) &&
      overlap(rulesOf(other.operation).touches(other), touched),
  );
  if (rules.undo === 'backup') {
    if (record.safetyBackupId === null) throw new RefusedError('no_safety_backup', record);
    return { record, later, by: 'backup', backupId: record.safetyBackupId, sections: touched };
  }
  return { record, later, by: rules.undo, fields: fieldsOf(record, records) };
}

/** The change that took this one back, and was not taken back itself. */
export function findUndoing(
  records: readonly HistoryRecord[],
  record: HistoryRecord,
): HistoryRecord | undefined {
  return records.find(
    (other) => other.undoes === record.id && other.state === 'applied' && !isUndone(records, other),
  );
}

function isUndone(records: readonly HistoryRecord[], record: HistoryRecord): boolean {
  return findUndoing(records, record) !== undefined;
}

function newestUndoable(records: readonly HistoryRecord[]): HistoryRecord {
  const found = records.find(
    (record) =>
      rulesOf(record.operation).undo !== undefined &&
      record.undoes === null &&
      (record.state === 'applied' || isInDoubt(record)) &&
      !isUndone(records, record),
  );
  if (found === undefined) throw new RefusedError('nothing_to_undo', null);
  return found;
}

/** The id of a log means the change of its command, not the backup that was made before it. */
function mainRecord(history: History, id: string): HistoryRecord {
  const records = history.recordsOf(id);
  return records.find((record) => rulesOf(record.operation).undo !== undefined) ?? history.get(id);
}

/** Throws a RefusedError `former_unknown` that names what this machine has not seen. */
function fieldsOf(record: HistoryRecord, records: readonly HistoryRecord[]): UndoneField[] {
  const former = parseJson(record.former);
  const sent = parseJson(record.body);
  const { undo, serverOwned = [] } = rulesOf(record.operation);
  const isDocument = undo === 'document';
  const isComparable = isDocument && isObject(former);
  const paths = isComparable ? changedPaths(former, sent, serverOwned) : leafPaths(sent);
  const unknown = isDocument
    ? isObject(former)
      ? []
      : paths
    : paths.filter((path) => !hasPath(former, path));
  if (unknown.length > 0)
    throw new RefusedError(
      'former_unknown',
      record,
      unknown.map((path) => path.join('.')),
    );
  const changed = isObject(parseJson(record.response?.body)) ? parseJson(record.response?.body) : sent;
  const seen = parseJson(formerValues(record, records));
  return paths.map((path) => ({
    path,
    former: hasPath(former, path) ? valueAt(former, path) : undefined,
    changed: valueAt(changed, path),
    seen: hasPath(seen, path) ? valueAt(seen, path) : undefined,
  }));
}

function hasPath(document: unknown, path: readonly string[]): boolean {
  let value = document;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  return true;
}

/** The paths at which two documents differ, without what the service sets itself. What was added as a whole is one. */
function changedPaths(former: unknown, sent: unknown, owned: readonly string[]): (readonly string[])[] {
  const differing = (one: unknown, other: unknown, path: readonly string[]): (readonly string[])[] => {
    if (!isObject(one) || !isObject(other))
      return JSON.stringify(one ?? null) === JSON.stringify(other ?? null) ? [] : [path];
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) =>
      differing(memberOf(one, name), memberOf(other, name), [...path, name]),
    );
  };
  return differing(former, sent, []).filter(([name = '']) => !owned.includes(name));
}

function memberOf(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The document with the former values at the paths that the change set. */
export function withFormerValues(document: unknown, fields: readonly UndoneField[]): Record<string, unknown> {
  return asObject(fields.reduce((changed, { path, former }) => withValue(changed, path, former), document));
}
