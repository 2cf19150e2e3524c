import { asObject, parseJson } from '../../base/json.ts';
import { type HistoryRecord, isAfter } from '../journal/history-record.ts';
import { changesOf, covers, overlap, rulesOf, touchesOf } from '../operation-rules.ts';

/** Kinds of things that the service does not list. */
export type KnownKind = 'backup' | 'dispute' | 'post' | 'endpoint' | 'reclaim' | 'notification';

/** Something that this machine made, worked on or read. */
export interface KnownObject {
  /** Empty for a post whose response was lost: the service has said only that its slug is taken. */
  readonly id: string;
  /** When this machine last learned about it, ISO 8601. */
  readonly seenAt: string;
  /** What the service answered last of each field; empty without a readable response. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An object that a response showed; see seen-objects.ts. */
export interface SeenObject extends KnownObject {
  readonly kind: KnownKind | 'store';
}

/** The operations whose records mention objects of a kind. The first one names the noun. */
export const operationsOfKind: Readonly<Record<KnownKind, readonly string[]>> = {
  backup: ['backup.create'],
  dispute: ['disputes.open', 'disputes.decide'],
  post: ['blog.create'],
  endpoint: ['notify.add-endpoint'],
  reclaim: ['reclaim.appeal'],
  notification: [],
};

export function isKnownKind(text: string): text is KnownKind {
  return Object.hasOwn(operationsOfKind, text);
}

/** The kind that a parameter in a path names, if it is known: `backup` for `backupId`. */
export function kindOfParameter(name: string): KnownKind | undefined {
  const kind = name.replace(/Id$/, '');
  return isKnownKind(kind) ? kind : undefined;
}

/**
 * The objects of a kind that records (newest first) and reads (newest last) mention: each once, in its last known state,
 * the last seen first. An object that a refusal mentions without showing it is left out, because it may not exist, and so is
 * what a restore or an undo has taken back.
 */
export function knownObjects(
  kind: KnownKind,
  records: readonly HistoryRecord[],
  seen: readonly SeenObject[] = [],
): KnownObject[] {
  const takenBack = takenBackIn(records);
  const sightings = [
    ...records
      .filter((record) => operationsOfKind[kind].includes(record.operation) && !takenBack.by(record))
      .flatMap(sightingOf),
    ...seen.filter((object) => object.kind === kind).reverse(),
  ].sort((one, other) => Date.parse(other.seenAt) - Date.parse(one.seenAt));
  const known = new Map<string, KnownObject>();
  for (const { id, seenAt, fields } of sightings) {
    const key = id || JSON.stringify(fields);
    const newer = known.get(key);
    known.set(key, { id, seenAt: newer?.seenAt ?? seenAt, fields: { ...fields, ...newer?.fields } });
  }
  return [...known.values()];
}

function sightingOf({ operation, path, state, response, createdAt, body }: HistoryRecord): KnownObject[] {
  const seenAt = response?.receivedAt || createdAt;
  const { existing } = response?.problem ?? {};
  if (typeof existing?.id === 'string') return [{ id: existing.id, seenAt, fields: existing }];
  if (state === 'rejected') return [];
  const fields = state === 'applied' ? asObject(parseJson(response?.body)) : {};
  const id = idInPath(path) ?? fields.id;
  if (typeof id === 'string') return [{ id, seenAt, fields }];
  const isPost = operation === 'blog.create' && state === 'applied';
  return isPost ? [{ id: '', seenAt, fields: asObject(parseJson(body)) }] : [];
}

/**
 * What was taken back, by all records of a store: a restore takes back what was changed after its backup, an undo of single
 * fields since the change that it undoes. Nothing is concluded of what is in doubt, nor of backups of other machines.
 */
export function takenBackIn(records: readonly HistoryRecord[]) {
  const isRestore = ({ operation }: HistoryRecord) => operation === 'backup.restore';
  const returns = records.filter(
    (record) => record.state === 'applied' && (record.undoes !== null || isRestore(record)),
  );
  /** Records by their ids, and by those of the backups that they made. */
  const starts = new Map(records.map((record) => [record.id, record]));
  for (const record of returns.length > 0 ? records : [])
    if (record.operation === 'backup.create' && record.state === 'applied')
      starts.set(String(asObject(parseJson(record.response?.body)).id), record);
  /** From where on a restore or an undo takes back. */
  const startOf = (later: HistoryRecord) =>
    starts.get((isRestore(later) ? idInPath(later.path) : later.undoes) ?? '');
  const found = new Map<string, HistoryRecord | undefined>();

  /** Whether what a record set at these paths was taken back; if not `isSure`, also where it may have been. */
  function reaches(later: HistoryRecord, record: HistoryRecord, paths: readonly string[], isSure = true) {
    if (later.undoes === record.id) return true;
    if (!isAfter(later, record)) return false;
    const start = startOf(later);
    // The backup of another machine may be older than anything.
    if (start === undefined) return !isSure && isRestore(later) && overlap(touchesOf(later), paths);
    // A document is put back at some paths only.
    return (
      isAfter(record, start) &&
      rulesOf(later.operation).undo !== 'document' &&
      covers(touchesOf(later), paths)
    );
  }

  /** The restore or undo that has put back what was there before a change, and was not taken back itself, at these paths. */
  function by(record: HistoryRecord, paths = changesOf(record)): HistoryRecord | undefined {
    const key = [record.id, ...paths].join(' ');
    if (!found.has(key)) {
      const isGone = (one: HistoryRecord) =>
        returns.some((later) => reaches(later, one, paths, false) && by(later, paths) === undefined);
      const standing = returns.filter((later) => reaches(later, record, paths) && !isGone(later));
      found.set(key, standing.find(({ undoes }) => undoes === record.id) ?? standing.at(-1));
    }
    return found.get(key);
  }

  /** Whether this is a restore of a backup that these records know: they tell what came back. */
  const isKnownRestore = (record: HistoryRecord) => isRestore(record) && startOf(record) !== undefined;
  return { by: (record: HistoryRecord) => by(record), isKnownRestore };
}

/** The id in `/disputes/{id}/decision`. */
export function idInPath(path: string): string | null {
  const [, id] = /\/([^/]+)\/(?:decision|appeal|restore)$/.exec(path) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}
