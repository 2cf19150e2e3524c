import type { AttemptFailure, Outcome } from './outcome.ts';

/**
 * The outcome of a change one attempt of which may have been applied. `outcome` is that of the later attempts, `doubt` the failure of the
 * earlier one. Only two outcomes end the doubt:
 * - `applied`: a 2xx to the same key or, for a repeatable change, to the same bytes;
 * - a refusal that the service keeps for the key in the header.
 *
 * Any other refusal, such as the 404 of a gateway, says nothing about the earlier attempt: the outcome becomes `unknown`, with `doubt` as
 * its `failure`, and with `status` and `problem` of the refusal. An outcome that is `unknown` stays as it is, because the user can do
 * something about the latest failure.
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
