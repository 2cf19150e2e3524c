import { isOpen } from './outline.ts';
import { type HistoryRecord, type RecordState, recordAge } from './record.ts';

/** Which records; each field that is given narrows them down. */
export interface RecordQuery {
  readonly operation?: string | undefined;
  readonly state?: RecordState | readonly RecordState[] | undefined;
  readonly storeId?: string | undefined;
  readonly origin?: string | undefined;
  readonly path?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly open?: boolean | undefined;
  /** Begun within this many milliseconds before now. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * False where the text of a record's file shows that it is none of those: it has neither the fingerprint nor the key.
 * Looking for them takes a hundredth of reading the record, and a history may hold thousands.
 */
export function mayMatch(text: string, { fingerprint, idempotencyKey }: RecordQuery): boolean {
  return [fingerprint, idempotencyKey].every(
    (wanted) => wanted === undefined || text.includes(JSON.stringify(wanted)),
  );
}

/** `now` is in epoch milliseconds. */
export function matches(record: HistoryRecord, query: RecordQuery, now: number): boolean {
  const states = typeof query.state === 'string' ? [query.state] : query.state;
  return (
    (query.operation === undefined || record.operation === query.operation) &&
    (states === undefined || states.includes(record.state)) &&
    (query.storeId === undefined || record.storeId === query.storeId) &&
    (query.origin === undefined || record.origin === query.origin) &&
    (query.path === undefined || record.path === query.path) &&
    (query.fingerprint === undefined || record.fingerprint === query.fingerprint) &&
    (query.idempotencyKey === undefined || record.idempotencyKey === query.idempotencyKey) &&
    (query.open === undefined || isOpen(record) === query.open) &&
    (query.maxAgeMs === undefined || recordAge(record, now) <= query.maxAgeMs)
  );
}
