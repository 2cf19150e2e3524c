import { asObject } from '../../base/json.ts';
import type { ObjectKind } from '../../contract/objects.ts';
import { type HistoryRecord, objectIdOf, receivedBody } from '../record/history-record.ts';

export type KnownKind = ObjectKind;

/** Something that this machine made, worked on or read. */
export interface KnownObject {
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
 * the last seen first. An object that a refusal mentions without showing it is left out, because it may not exist. Whether any is
 * still there, only the service knows.
 */
export function knownObjects(
  kind: KnownKind,
  records: readonly HistoryRecord[],
  seen: readonly SeenObject[] = [],
): KnownObject[] {
  const sightings = [
    ...records.filter((record) => operationsOfKind[kind].includes(record.operation)).flatMap(sightingOf),
    ...seen.filter((object) => object.kind === kind).reverse(),
  ].sort((one, other) => Date.parse(other.seenAt) - Date.parse(one.seenAt));
  const known = new Map<string, KnownObject>();
  for (const { id, seenAt, fields } of sightings) {
    const newer = known.get(id);
    known.set(id, { id, seenAt: newer?.seenAt ?? seenAt, fields: { ...fields, ...newer?.fields } });
  }
  return [...known.values()];
}

function sightingOf(record: HistoryRecord): KnownObject[] {
  const { state, response, createdAt } = record;
  const seenAt = response?.receivedAt || createdAt;
  const { existing } = response?.problem ?? {};
  if (typeof existing?.id === 'string') return [{ id: existing.id, seenAt, fields: existing }];
  if (state === 'rejected') return [];
  const fields = state === 'applied' ? asObject(receivedBody(record)) : {};
  const id = objectIdOf(record) ?? fields.id;
  return typeof id === 'string' ? [{ id, seenAt, fields }] : [];
}
