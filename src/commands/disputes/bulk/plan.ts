import {
  countItems,
  describeStatuses,
  type ItemResult,
  type Known,
  known,
  knownResult,
  makeResult,
  resultOfError,
} from '../../../cli/batch/item-result.ts';
import { startProgress } from '../../../cli/batch/progress.ts';
import { forEachConcurrently } from '../../../cli/batch/run-batch.ts';
import type { Plan } from '../../../cli/batch/show-plan.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { isInDoubt } from '../../../history/record/history-record.ts';
import { expectedStatus } from '../dispute/decide-one.ts';
import {
  askDispute,
  type CurrentDispute,
  compareDecision,
  type Decision,
  remarkOn,
  unexpectedStatus,
} from '../dispute/dispute-status.ts';
import { type DecisionRow, isSameDecision } from './decisions-file.ts';
import { type FindOwn, nameOfCase, rowWords, runFor, sentDecision } from './rows.ts';

/** A row whose dispute is read: it can be decided, or its result is known. */
type AssessedRow = Known | { readonly kind: 'decide'; readonly dispute: CurrentDispute };

/** Reads the dispute of the run. Throws errors that concern all rows: no connection, no key. */
export async function assessRow(run: Run, decision: Decision, findOwn: FindOwn): Promise<AssessedRow> {
  const expected = expectedStatus(run);
  const own = findOwn(run.request.parameters.disputeId ?? '');
  const isOwn = own !== null && isSameDecision(decision, sentDecision(own));
  const found = await askDispute(run);
  if (found.kind === 'refused') return known(resultOfRefusal(found.error));
  const { dispute } = found;
  switch (compareDecision(dispute, decision, expected)) {
    case 'conflict':
      return known(withoutFields(unexpectedStatus(dispute, expected, decision.status)));
    case 'same': {
      const message = isOwn ? 'decided by an earlier run' : `already decided as ${decision.status}`;
      return known(makeResult('exists', { record: isOwn ? own : null, message }));
    }
    case 'decide': {
      if (own === null || !isInDoubt(own)) return { kind: 'decide', dispute };
      const message = `an earlier decision (${own.id}) may have been applied`;
      const remedy = [{ run: ['resume', own.id], rest: 'to settle it' }];
      return known(makeResult('unknown', { record: own, code: 'outcome_unknown', message, remedy }));
    }
  }
}

/** Throws an error that concerns all rows. */
function resultOfRefusal(error: CliError): ItemResult {
  const result = withoutFields(error);
  if (result.outcome !== 'failed') throw error;
  return result.exitCode === exitCodes.notFound ? { ...result, message: 'not found in this store' } : result;
}

/** The fields of an error are those of a request: a row has other names. */
function withoutFields({ failure }: CliError): ItemResult {
  return resultOfError(new CliError({ ...failure, fields: undefined }));
}

const maxConcurrentReads = 4;

/**
 * Reads the dispute of every row that is to be decided. One that does not exist or is refused affects only its row; errors that
 * concern all rows (no connection, no key) are thrown.
 */
export async function planDecisions(
  run: Run,
  rows: readonly DecisionRow[],
  findOwn: FindOwn,
): Promise<DecisionRow[]> {
  const { ui } = run;
  const planned = new Map<DecisionRow, DecisionRow>();
  const toRead = rows.filter(({ plan }) => plan.kind === 'decide');
  const progress = startProgress(ui, toRead.length, 'disputes read');
  await forEachConcurrently(toRead, maxConcurrentReads, async (row) => {
    const found = await assessRow(runFor(run, row.disputeId), row, findOwn);
    if (found.kind === 'known') planned.set(row, { ...row, plan: found });
    if (!ui.io.signal.aborted) progress.step();
  }).finally(progress.end);
  return rows.map((row) => planned.get(row) ?? row);
}

/** What is shown before decisions are recorded. Ids are whole, to be copied: a decision is final. */
export function describeDecisions(rows: readonly DecisionRow[]): Plan {
  const decided = rows.filter(({ plan }) => plan.kind === 'decide');
  const statuses = describeStatuses(decided.map(({ status }) => printable(status)));
  return {
    words: rowWords,
    known: rows.flatMap((row) => {
      const result = knownResult(row);
      const name = [`line ${row.line}`, nameOfCase(row), row.status].filter(Boolean).join('  ');
      return result === null ? [] : [{ name: printableInOneLine(name), result }];
    }),
    header: ['LINE', 'DISPUTE', 'STATUS', 'RESOLUTION'],
    fits: [undefined, undefined, undefined, 'cut end or below'],
    rows: decided.map(({ line, disputeId, status, resolution }) => [
      String(line),
      disputeId,
      printable(status),
      printableInOneLine(resolution),
    ]),
    details: decided.map(({ seen }) => seen ?? ''),
    notes: [...new Set(decided.map(({ status }) => status))].flatMap((status) => {
      const remark = remarkOn(status);
      const [first, ...others] = decided.filter((row) => row.status === status);
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      return remark === null ? [] : [`Warning: line ${first?.line}${more}: ${remark}.`];
    }),
    counts: decided.length === 0 ? [] : [`${countItems(decided.length, rowWords)} to decide (${statuses})`],
  };
}
