import { type HistoryRecord, isOpen } from '../../history/records/record.ts';
import { isObject } from '../core/json-value.ts';
import { formatDistance } from './format-value.ts';

/** A record in a line: what a person looks for in a list. */
export interface RecordSummary {
  readonly id: string;
  readonly createdAt: string;
  /** `3 hours ago`. */
  readonly age: string;
  readonly operation: string;
  readonly storeId: string;
  readonly origin: string;
  readonly state: HistoryRecord['state'];
  /** Whether there is something left to do for `resume`. */
  readonly open: boolean;
  /** Id of what the operation made, or the status of a refusal. */
  readonly result: string | null;
  readonly idempotencyKey: string | null;
  readonly attempts: number;
}

export function recordSummary(record: HistoryRecord, now: number): RecordSummary {
  const { id, createdAt, operation, storeId, origin, state, idempotencyKey, attempts } = record;
  return {
    id,
    createdAt,
    age: formatDistance(Date.parse(createdAt) - now),
    operation,
    storeId,
    origin,
    state,
    open: isOpen(record),
    result: resultOf(record),
    idempotencyKey,
    attempts,
  };
}

/** The answer's body as a value, or null where there is none to read. */
export function answerBody({ answer }: HistoryRecord): unknown {
  if (answer?.body == null) return null;
  try {
    return JSON.parse(answer.body);
  } catch {
    return answer.body;
  }
}

function resultOf(record: HistoryRecord): string | null {
  const body = answerBody(record);
  if (isObject(body) && typeof body.id === 'string') return body.id;
  if (record.state === 'rejected')
    return `${record.answer?.status ?? ''} ${record.answer?.problem?.code ?? ''}`.trim();
  return record.state === 'applied' ? null : (record.failure?.code ?? null);
}
