import { asObject, parseJson } from '../../base/json.ts';
import type { HistoryRecord } from '../journal/history-record.ts';
import { overlap, touchesOf } from '../operation-rules.ts';

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

/** An object that a response showed, and that no record of its kind mentions; see seen-objects.ts. */
export interface SeenObject extends KnownObject {
  readonly kind: KnownKind | 'store';
}

/** The operations whose records mention objects of a kind. The first one makes them. */
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
 * what a restore has removed.
 */
export function knownObjects(
  kind: KnownKind,
  records: readonly HistoryRecord[],
  seen: readonly SeenObject[] = [],
): KnownObject[] {
  const exists = existenceAfter(records);
  const sightings = [
    ...records
      .filter((record) => operationsOfKind[kind].includes(record.operation) && exists(record))
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

/** The id in `/disputes/{id}/decision`. */
export function idInPath(path: string): string | null {
  const [, id] = /\/([^/]+)\/(?:decision|appeal|restore)$/.exec(path) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}

/**
 * Tells whether something that was created is still there, by the restores among these records of its store: what was made
 * after the backup that a later restore brought back is gone. Numbers say what came after what. Of a restore that may not have
 * been applied, or of a backup of another machine, nothing is concluded.
 */
export function existenceAfter(records: readonly HistoryRecord[]): (created: HistoryRecord) => boolean {
  const applied = records.filter(({ state }) => state === 'applied');
  const restores = applied
    .filter(({ operation }) => operation === 'backup.restore')
    .sort((one, other) => other.number - one.number);
  if (restores.length === 0) return () => true;
  const backups = new Map<unknown, number>();
  for (const { operation, response, number } of applied) {
    if (operation === 'backup.create') backups.set(asObject(parseJson(response?.body)).id, number);
  }

  return (created) => {
    const isRestoredBy = (restore: HistoryRecord) =>
      restore.number > created.number && overlap(touchesOf(restore), touchesOf(created));
    /** Whether it was there once all changes before this number were made. */
    const existedBefore = (number: number): boolean => {
      if (created.number >= number) return false;
      const last = restores.find((restore) => restore.number < number && isRestoredBy(restore));
      if (last === undefined) return true;
      const backup = backups.get(decodeURIComponent(last.path.split('/').at(-2) ?? ''));
      return backup === undefined || existedBefore(backup);
    };
    return existedBefore(Number.POSITIVE_INFINITY);
  };
}
