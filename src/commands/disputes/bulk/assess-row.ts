import {
  concernsOneItem,
  type ItemResult,
  makeResult,
  resultOfError,
  settleDoubts,
} from '../../../cli/batch/item-result.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { isInDoubt } from '../../../history/journal/history-record.ts';
import {
  type CurrentDispute,
  compareDecision,
  type Decision,
  describeConflict,
  readDispute,
  unusualStatus,
} from '../dispute-status.ts';
import { fixRows, isSameDecision } from './decisions-file.ts';
import { decisionOf, type FindOwn } from './rows.ts';

const finalRows = [{ say: 'remove the rows of disputes that are decided otherwise (a decision is final)' }];

/** What a row is compared with. */
export interface Expected {
  /** Status that a dispute must have to be decided. */
  readonly status: string;
  readonly findOwn: FindOwn;
}

/** What reading the dispute of a row says: it can be decided, or its result is known. */
type Assessed =
  | { readonly dispute: CurrentDispute; readonly warning: string | null }
  | { readonly result: ItemResult };

/** Reads the dispute of the run. Throws errors that concern all rows: no connection, no key. */
export async function assessRow(run: Run, decision: Decision, expected: Expected): Promise<Assessed> {
  const own = expected.findOwn(run.request.parameters.disputeId ?? '');
  const isOwn = own !== null && isSameDecision(decision, decisionOf(own));
  try {
    const dispute = await readDispute(run);
    switch (compareDecision(dispute, decision, expected.status)) {
      case 'same': {
        const message = isOwn ? 'decided by an earlier run' : `already decided as ${decision.status}`;
        return { result: makeResult('exists', { record: isOwn ? own : null, message }) };
      }
      case 'conflict': {
        const message = describeConflict(dispute, expected.status, decision.status);
        const exitCode = exitCodes.conflict;
        return {
          result: makeResult('failed', { code: 'unexpected_status', message, remedy: finalRows, exitCode }),
        };
      }
      case 'decide': {
        if (own !== null && isInDoubt(own)) {
          const message = `an earlier decision (${own.id}) may have been applied`;
          const doubt = { record: own, code: 'outcome_unknown', message, remedy: settleDoubts };
          return { result: makeResult('unknown', doubt) };
        }
        const reopened = isOwn ? `decided by an earlier run (${own.id}), and open again` : null;
        return { dispute, warning: reopened ?? unusualStatus(decision.status) };
      }
    }
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.failure.exitCode)) throw error;
    const result = resultOfError(error);
    const isMissing = result.exitCode === exitCodes.notFound;
    const message = isMissing ? 'not found in this store' : result.message;
    return { result: { ...result, message, remedy: fixRows } };
  }
}
