import type { AttemptFailure, Outcome } from './outcome.ts';

/**
 * A doubt ends only by proof. Once one attempt of a write may have been applied, the write stays `unknown`, within a run
 * and across runs, until one of these:
 * - a 2xx to the same key or, for a repeatable write, to the same bytes: that is `applied`, and is returned as it is;
 * - a read that shows it (`readProof` of the history);
 * - a refusal that the service keeps for the same key in the header: that is `rejected`;
 * - the user's word (`resume ID --mark`).
 *
 * No other refusal ends it: the 404 of a gateway, a 401, a 409 or a 422 say nothing about the attempt before. The outcome names
 * both: `failure` is what is in doubt, `status` and `problem` are the last response. An outcome that is unknown itself stays as
 * it is: why the latest attempt failed is what the user can act on.
 */
export function keepDoubt(outcome: Outcome, doubt: AttemptFailure): Outcome {
  if (outcome.kind === 'applied' || outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'rejected' && outcome.isKept) return outcome;
  const { attempts, requestId, features, retryAt } = outcome;
  const response =
    outcome.kind === 'not_sent'
      ? { status: null, problem: null }
      : { status: outcome.status, problem: outcome.problem };
  return { kind: 'unknown', attempts, requestId, features, retryAt, failure: doubt, ...response };
}
