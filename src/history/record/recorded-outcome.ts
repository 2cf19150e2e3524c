import { jsonOrText } from '../../base/json.ts';
import type { AttemptFailure, Outcome } from '../../client/outcome/outcome.ts';
import type { HistoryRecord, RecordChange } from './history-record.ts';

/** The failure code of a record that a person has marked: no response of the service proves its state. */
export const markedByHand = 'marked_by_hand';

/** The fields of a record that an outcome sets. `now` is in epoch milliseconds. */
export function changeOf(outcome: Outcome, now: number, settledByReading = false): Omit<RecordChange, 'id'> {
  const { kind: state, requestId } = outcome;
  const failure = 'failure' in outcome ? outcome.failure : null;
  // The response to an earlier attempt stays in the record.
  if (outcome.kind === 'not_sent') return { state, failure };
  const { status } = outcome;
  if (status === null) return { state, failure };
  const received = {
    body: null,
    problem: null,
    etag: null,
    replayed: false,
    retryAt: null,
    ...(outcome.kind === 'applied'
      ? { body: outcome.text, etag: outcome.etag, replayed: outcome.replayed }
      : { problem: outcome.problem, retryAt: outcome.retryAt }),
  };
  const receivedAt = new Date(now).toISOString();
  return { state, failure, response: { status, ...received, requestId, receivedAt, settledByReading } };
}

const noResponse: AttemptFailure = { code: 'connection_lost', message: 'no readable response' };

/** The outcome in a record, or null if the record says `sent`. */
export function recordedOutcome(record: HistoryRecord): Outcome | null {
  const { response, attempts } = record;
  const common = { attempts, requestId: response?.requestId ?? null, features: [] };
  const failure = { ...noResponse, ...record.failure } as AttemptFailure;
  switch (record.state) {
    case 'sent':
      return null;
    case 'applied': {
      const text = response?.body ?? 'null';
      const { status = 200, etag = null, replayed = false } = response ?? {};
      // A response without content (204) was recorded as an empty text.
      const body = text === '' ? null : jsonOrText(text);
      return { kind: 'applied', ...common, status, body, text, etag, replayed, drift: [] };
    }
    case 'rejected': {
      const { status = 0, retryAt = null } = response ?? {};
      const problem = response?.problem ?? { status, code: null, message: 'refused', fields: [] };
      return { kind: 'rejected', ...common, status, problem, retryAt, isKept: false };
    }
    case 'not_sent':
      return { kind: 'not_sent', ...common, retryAt: null, failure };
    case 'unknown': {
      const { status = null, problem = null, retryAt = null } = response ?? {};
      return { kind: 'unknown', ...common, status, failure, problem, retryAt };
    }
  }
}
