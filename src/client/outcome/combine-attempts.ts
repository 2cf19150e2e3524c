import type { OperationClass } from '../../contract/operation.ts';
import { keepDoubt } from './doubt.ts';
import type { AttemptFailure, Outcome, Problem, ServiceFeature } from './outcome.ts';
import { type Attempt, retryTable } from './retry.ts';

/** An attempt that did not end with a readable success. */
export interface FailedAttempt extends Attempt {
  /** Null if the service refused. */
  readonly failure: AttemptFailure | null;
  readonly status: number | null;
  readonly problem: Problem | null;
  /** Milliseconds to wait by `Retry-After`, from the time of the response. */
  readonly retryAfterMs: number | null;
  /** The end of that wait in epoch milliseconds, for people. */
  readonly retryAt: number | null;
  readonly requestId: string | null;
  readonly features: readonly ServiceFeature[];
  /** See `Rejected` in outcome.ts. */
  readonly isKept: boolean;
}

const NO_RESPONSE: AttemptFailure = { code: 'connection_lost', message: 'no readable response' };

/**
 * The outcome of attempts that have all failed. The last attempt decides, unless an earlier one may have been applied: then the outcome
 * is `unknown`, see {@link keepDoubt}. A read changes nothing, so its last attempt always decides. `interruption` is the reason if
 * something else than the last attempt ended the call.
 */
export function combineAttempts(
  attempts: readonly FailedAttempt[],
  operationClass: OperationClass,
  interruption: AttemptFailure | null,
): Outcome {
  const doubtful = attempts.findLast(({ row }) => retryTable[row].ends === 'unknown');
  const outcome = outcomeOfLast(attempts, operationClass, interruption);
  if (operationClass === 'read' || doubtful === undefined) return outcome;
  return keepDoubt(outcome, interruption ?? doubtful.failure ?? NO_RESPONSE);
}

function outcomeOfLast(
  attempts: readonly FailedAttempt[],
  operationClass: OperationClass,
  interruption: AttemptFailure | null,
): Outcome {
  const last = attempts.at(-1);
  const response = attempts.findLast(({ status }) => status !== null);
  const common = {
    attempts: attempts.length,
    requestId: response?.requestId ?? null,
    features: response?.features ?? [],
    retryAt: response?.retryAt ?? null,
  };
  const failure = interruption ?? last?.failure ?? NO_RESPONSE;
  if (last === undefined) return { kind: 'not_sent', ...common, failure };
  const { row, status, problem, isKept } = last;
  const isRefusal =
    retryTable[row].ends === 'rejected' || (row === 'redirected' && operationClass === 'read');
  if (isRefusal && status !== null && problem !== null) {
    return { kind: 'rejected', ...common, status, problem, isKept };
  }
  if (retryTable[row].ends === 'not_sent') return { kind: 'not_sent', ...common, failure };
  return {
    kind: 'unknown',
    ...common,
    failure,
    status: response?.status ?? null,
    problem: response?.problem ?? null,
  };
}
