import { asObject } from '../../base/json.ts';
import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import { type HistoryRecord, objectIdOf, receivedBody } from '../record/history-record.ts';

/** An object that this machine has made, changed or read. */
export interface KnownObject {
  readonly id: string;
  /** When a response last showed the object, in ISO 8601. */
  readonly seenAt: string;
  /** The last value of each field that a response has shown. Empty if no response has shown the object. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An object that a response showed; see seen-objects.ts. */
export interface SeenObject extends KnownObject {
  readonly kind: ObjectKind | 'store';
}

/**
 * The objects of a kind in records (newest first) and in reads (newest last). Each object is listed once, with the last value of each
 * field; the object that was seen last comes first. An object that only a refusal names is left out, because it may not exist. The
 * service may have removed objects since.
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
