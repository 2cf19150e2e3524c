import { nearName } from '../../../base/nearest-name.ts';
import {
  concernsOneItem,
  type ItemResult,
  makeResult,
  resultOfError,
  settleDoubts,
} from '../../../cli/batch/item-result.ts';
import { listKnown } from '../../../cli/command/known.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { uuidPattern } from '../../../contract/operation.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import {
  type CurrentDispute,
  compareDecision,
  describeConflict,
  readDispute,
  usualStatuses,
} from '../dispute-status.ts';
import { type Decision, isSameDecision } from './decisions-file.ts';
import { decisionOf } from './rows.ts';

export const fixRows = [{ say: 'fix the rows that failed' }];
const finalRows = [{ say: 'remove the rows of disputes that are decided otherwise (a decision is final)' }];

/** What reading the dispute of a row says: it can be decided, or its result is known. */
export type Assessed =
  | { readonly dispute: CurrentDispute; readonly warning: string | null }
  | { readonly result: ItemResult };

/**
 * Reads the dispute of a row. `own` is the decision of this machine on it, if any. Throws errors that concern all rows: no
 * connection, no key.
 */
export async function assessRow(
  run: Run,
  decision: Decision,
  { expected, own }: { readonly expected: string; readonly own: HistoryRecord | null },
): Promise<Assessed> {
  const isOwn = own !== null && isSameDecision(decision, decisionOf(own));
  try {
    const dispute = await readDispute(run);
    switch (compareDecision(dispute, decision, expected)) {
      case 'same': {
        const message = isOwn ? 'decided by an earlier run' : `already decided as ${decision.status}`;
        return { result: makeResult('exists', { record: isOwn ? own : null, message }) };
      }
      case 'conflict':
        return {
          result: makeResult('failed', {
            code: 'unexpected_status',
            message: describeConflict(dispute, expected, decision.status),
            remedy: finalRows,
            exitCode: exitCodes.conflict,
          }),
        };
      case 'decide': {
        if (own !== null && isInDoubt(own)) return { result: inDoubt(own) };
        const warning = isOwn ? `decided by an earlier run (${own.id}), and open again` : null;
        return { dispute, warning };
      }
    }
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.failure.exitCode)) throw error;
    const result = resultOfError(error);
    const isMissing = error.failure.exitCode === exitCodes.notFound;
    const message = isMissing
      ? await describeWrongId(run, run.request.parameters.disputeId ?? '')
      : result.message;
    return { result: { ...result, message, remedy: fixRows } };
  }
}

function inDoubt(record: HistoryRecord): ItemResult {
  return makeResult('unknown', {
    record,
    code: 'outcome_unknown',
    message: `an earlier decision (${record.id}) may have been applied`,
    remedy: settleDoubts,
  });
}

/** A misspelt status in a file would be the final decision of many disputes. Null for one that was used before. */
export function refuseUnknownStatus({ status }: Decision, made: readonly Decision[]): ItemResult | null {
  if ([...usualStatuses, ...made.map((decision) => decision.status)].includes(status)) return null;
  const near = nearName(usualStatuses, status);
  const next = near === null ? '; use won, lost or withdrawn' : `: did you mean ${near}?`;
  return invalidRow(`unknown status "${status}"${next}`);
}

/** The result of a row that is not a decision. */
export function invalidRow(message: string): ItemResult {
  return makeResult('failed', { code: 'invalid_input', message, remedy: fixRows, exitCode: exitCodes.usage });
}

/** Says which dispute is meant if this machine knows one with this case or order, or that this is no id. */
async function describeWrongId({ session }: Run, disputeId: string): Promise<string> {
  const disputes = await listKnown(session, 'dispute');
  const kinds = { providerCaseId: 'a provider case id', orderId: 'an order id' };
  for (const [name, kind] of Object.entries(kinds)) {
    const meant = disputes.find(({ fields }) => fields[name] === disputeId);
    if (meant !== undefined) return `${kind}; the id of the dispute is ${meant.id}`;
  }
  if (uuidPattern.test(disputeId)) return 'not found in this store';
  if (!/^[\da-f]{8}[\da-f-]*$/i.test(disputeId)) return 'not the id of a dispute, which is a UUID';
  const [meant, ...others] = disputes.filter(({ id }) => id.startsWith(disputeId.toLowerCase()));
  return meant === undefined || others.length > 0
    ? 'not the whole id of a dispute'
    : `not the whole id of a dispute; did you mean ${meant.id}?`;
}
