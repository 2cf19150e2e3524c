import { asObject } from '../../base/json.ts';
import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import { type HistoryRecord, objectIdOf, receivedBody } from '../record/history-record.ts';

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
  readonly kind: ObjectKind | 'store';
}

/**
 * The objects of a kind that records (newest first) and reads (newest last) mention: each once, in its last known state,
 * the last seen first. An object that a refusal mentions without showing it is left out, because it may not exist. Whether any is
 * still there, only the service knows.
 */
export function knownObjects(
  kind: ObjectKind,
  records: readonly HistoryRecord[],
  seen: readonly SeenObject[] = [],
): KnownObject[] {
  const sightings = [
    ...records.filter((record) => kindOf(kind).operations.includes(record.operation)).flatMap(sightingOf),
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
