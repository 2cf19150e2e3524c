import { jsonOrText } from '../base/json.ts';
import type { Failure, Outcome } from '../client/outcome.ts';
import type { HistoryRecord, RecordChange, RecordedResponse } from './journal/history-record.ts';

/** Code of a failure that a person has settled: no response of the service proves it. */
export const markedByHand = 'marked_by_hand';

/** What an outcome changes in its record. `now` is in epoch milliseconds. */
export function changeOf(outcome: Outcome, now: number, settledByReading = false): Omit<RecordChange, 'id'> {
  const response = {
    body: null,
    problem: null,
    requestId: outcome.requestId,
    etag: null,
    receivedAt: new Date(now).toISOString(),
    replayed: false,
    retryAt: null,
    settledByReading,
  };
  switch (outcome.kind) {
    case 'applied': {
      const { status, text, etag, replayed } = outcome;
      return {
        state: 'applied',
        response: { ...response, status, body: text, etag, replayed },
        failure: null,
      };
    }
    case 'rejected': {
      const { status, retryAt } = outcome;
      const problem = copyProblem(outcome.problem);
      return { state: 'rejected', response: { ...response, status, problem, retryAt }, failure: null };
    }
    case 'not_sent':
      return { state: 'not_sent', failure: { ...outcome.failure } };
    case 'unknown': {
      const { status, retryAt } = outcome;
      const problem = outcome.problem && copyProblem(outcome.problem);
      return {
        state: 'unknown',
        failure: { ...outcome.failure },
        // An earlier response says more than none.
        ...(status !== null && { response: { ...response, status, problem, retryAt } }),
      };
    }
  }
}

function copyProblem(
  problem: Extract<Outcome, { kind: 'rejected' }>['problem'],
): RecordedResponse['problem'] {
  return { ...problem, fields: problem.fields.map((field) => ({ ...field })) };
}

const noResponse: Failure = { code: 'connection_lost', message: 'no readable response' };

/** The outcome that the record holds, as it was handed on when it came in, or null as long as it has none. */
export function recordedOutcome(record: HistoryRecord): Outcome | null {
  const { response, attempts } = record;
  const common = { attempts, requestId: response?.requestId ?? null };
  const failure = { ...noResponse, ...record.failure } as Failure;
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
      return { kind: 'rejected', ...common, status, problem, retryAt };
    }
    case 'not_sent':
      return { kind: 'not_sent', ...common, retryAt: null, failure };
    case 'unknown': {
      const { status = null, problem = null, retryAt = null } = response ?? {};
      return { kind: 'unknown', ...common, status, failure, problem, retryAt };
    }
  }
}
