import type { OperationClass } from '../contract/operation.ts';
import type { Failure, Outcome, Problem } from './outcome.ts';
import { isSilentOnEarlierAttempt, type RowName, retryTable } from './retry.ts';

/** An attempt that did not end with a readable success. */
export interface FailedAttempt {
  readonly row: RowName;
  /** Null where the service refused. */
  readonly failure: Failure | null;
  readonly status: number | null;
  readonly problem: Problem | null;
  /** Epoch milliseconds from `Retry-After`. */
  readonly retryAt: number | null;
  readonly requestId: string | null;
}

const NO_ANSWER: Failure = { code: 'connection_lost', message: 'no readable answer came back' };

/**
 * The outcome of an operation from all of its attempts, none of which succeeded.
 * `interruption` says why there is no further attempt, where that was not the last attempt's own end.
 *
 * The last attempt decides, with one exception: where an earlier attempt may have been applied and the last one does
 * not tell, the outcome stays unknown. Reads have nothing to apply, so for them the last attempt always decides.
 */
export function combineAttempts(
  attempts: readonly FailedAttempt[],
  operationClass: OperationClass,
  interruption: Failure | null,
): Outcome {
  const last = attempts.at(-1);
  const answer = attempts.findLast(({ status }) => status !== null);
  const common = { attempts: attempts.length, requestId: answer?.requestId ?? null };
  if (last === undefined) return { kind: 'not_sent', ...common, failure: interruption ?? NO_ANSWER };

  const doubtful = attempts.findLast((attempt) => retryTable[attempt.row].ends === 'unknown');
  if (doubtful !== undefined && (last === doubtful || leavesDoubt(last, operationClass))) {
    return {
      kind: 'unknown',
      ...common,
      failure: interruption ?? doubtful.failure ?? NO_ANSWER,
      status: answer?.status ?? null,
      problem: answer?.problem ?? null,
      retryAt: answer?.retryAt ?? null,
    };
  }
  if (last.status !== null && last.problem !== null) {
    const { status, problem, retryAt } = last;
    return { kind: 'rejected', ...common, status, problem, retryAt };
  }
  return { kind: 'not_sent', ...common, failure: interruption ?? last.failure ?? NO_ANSWER };
}

function leavesDoubt(last: FailedAttempt, operationClass: OperationClass): boolean {
  if (operationClass === 'read') return false;
  return last.status === null || isSilentOnEarlierAttempt(last.status, operationClass);
}
