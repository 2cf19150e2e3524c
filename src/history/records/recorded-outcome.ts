import { jsonOrText } from '../../base/json.ts';
import type { Failure, Outcome } from '../../client/outcome.ts';
import type { RecordPatch } from '../history.ts';
import type { HistoryAnswer, HistoryRecord } from './record.ts';

/** Code of a failure that a person has settled: no answer of the service says what became of it. */
export const markedByHand = 'marked_by_hand';

/** What an outcome changes in its record. `now` is in epoch milliseconds. */
export function patchOf(outcome: Outcome, now: number, settledByReading: boolean): RecordPatch {
  const answered = {
    requestId: outcome.requestId,
    receivedAt: new Date(now).toISOString(),
    settledByReading,
  };
  const nothing = { body: null, problem: null, etag: null, replayed: false, retryAt: null };
  switch (outcome.kind) {
    case 'applied': {
      const { status, text, etag, replayed } = outcome;
      const answer: HistoryAnswer = { ...nothing, ...answered, status, body: text, etag, replayed };
      return { state: 'applied', answer, failure: null };
    }
    case 'rejected': {
      const { status, retryAt } = outcome;
      const problem = copyProblem(outcome.problem);
      return {
        state: 'rejected',
        answer: { ...nothing, ...answered, status, problem, retryAt },
        failure: null,
      };
    }
    case 'not_sent':
      return { state: 'not_sent', failure: { ...outcome.failure } };
    case 'unknown': {
      const { status, retryAt } = outcome;
      const problem = outcome.problem && copyProblem(outcome.problem);
      return {
        state: 'unknown',
        failure: { ...outcome.failure },
        // An earlier answer says more than none.
        ...(status !== null && { answer: { ...nothing, ...answered, status, problem, retryAt } }),
      };
    }
  }
}

type Problem = NonNullable<HistoryAnswer['problem']>;

function copyProblem(problem: Extract<Outcome, { kind: 'rejected' }>['problem']): Problem {
  return { ...problem, fields: problem.fields.map((field) => ({ ...field })) };
}

/** Milliseconds that are left of the wait that the record's last answer asked for. */
export function remainingWait({ answer }: Pick<HistoryRecord, 'answer'>, now: number): number {
  if (answer === null || answer.retryAt === null) return 0;
  // Never longer than the service asked for, even if this machine's clock was set back since.
  const asked = answer.retryAt - Date.parse(answer.receivedAt);
  return Math.max(0, Math.min(answer.retryAt - now, asked));
}

/** The outcome that the record holds, as it was handed on when it came in, or null while there is none. */
export function recordedOutcome(record: HistoryRecord): Outcome | null {
  const { answer, attempts } = record;
  const common = { attempts, requestId: answer?.requestId ?? null };
  const failure = { ...NO_ANSWER, ...record.failure } as Failure;
  switch (record.state) {
    case 'prepared':
    case 'sent':
      return null;
    case 'applied': {
      const text = answer?.body ?? 'null';
      const { status = 200, etag = null, replayed = false } = answer ?? {};
      return { kind: 'applied', ...common, status, body: parse(text), text, etag, replayed, drift: [] };
    }
    case 'rejected': {
      const { status = 0, retryAt = null } = answer ?? {};
      const problem = answer?.problem ?? { status, code: null, message: 'refused', fields: [] };
      return { kind: 'rejected', ...common, status, problem, retryAt };
    }
    case 'not_sent':
      return { kind: 'not_sent', ...common, retryAt: null, failure };
    case 'unknown': {
      const { status = null, problem = null, retryAt = null } = answer ?? {};
      return { kind: 'unknown', ...common, status, failure, problem, retryAt };
    }
  }
}

const NO_ANSWER = { code: 'connection_lost', message: 'no readable response' } as const;

/** An answer without content (204) was recorded as an empty text; that of a raw request may be no JSON. */
function parse(text: string): unknown {
  return text === '' ? null : jsonOrText(text);
}
