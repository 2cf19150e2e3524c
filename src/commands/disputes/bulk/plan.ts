import {
  concernsOneItem,
  countItems,
  describeStatuses,
  type ItemResult,
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
import { expectedStatus } from '../decide-one.ts';
import {
  type CurrentDispute,
  compareDecision,
  type Decision,
  readDispute,
  remarkOn,
  unexpectedStatus,
} from '../dispute-status.ts';
import { type DecisionRow, isSameDecision } from './decisions-file.ts';
import { decisionOf, type FindOwn, nameOfCase, rowWords, runFor } from './rows.ts';

/**
 * Reads the dispute of the run: it can be decided, or its result is known. Throws errors that concern all rows: no connection, no
 * key.
 */
export async function assessRow(
  run: Run,
  decision: Decision,
  findOwn: FindOwn,
): Promise<{ readonly dispute: CurrentDispute } | { readonly result: ItemResult }> {
  const expected = expectedStatus(run);
  const own = findOwn(run.request.parameters.disputeId ?? '');
  const isOwn = own !== null && isSameDecision(decision, decisionOf(own));
  try {
    const dispute = await readDispute(run);
    const comparison = compareDecision(dispute, decision, expected);
    if (comparison === 'conflict') throw unexpectedStatus(dispute, expected, decision.status);
    if (comparison === 'same') {
      const message = isOwn ? 'decided by an earlier run' : `already decided as ${decision.status}`;
      return { result: makeResult('exists', { record: isOwn ? own : null, message }) };
    }
    if (own === null || !isInDoubt(own)) return { dispute };
    const message = `an earlier decision (${own.id}) may have been applied`;
    const remedy = [{ run: ['resume', own.id], rest: 'to settle it' }];
    return { result: makeResult('unknown', { record: own, code: 'outcome_unknown', message, remedy }) };
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.failure.exitCode)) throw error;
    const result = resultOfError(new CliError({ ...error.failure, fields: undefined }));
    const isMissing = result.exitCode === exitCodes.notFound;
    return { result: isMissing ? { ...result, message: 'not found in this store' } : result };
  }
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
  const toRead = rows.filter(({ plan }) => plan === 'decide');
  const progress = startProgress(ui, toRead.length, 'disputes read');
  await forEachConcurrently(toRead, maxConcurrentReads, async (row) => {
    const found = await assessRow(runFor(run, row.disputeId), row, findOwn);
    if ('result' in found) planned.set(row, { ...row, plan: found.result });
    if (!ui.io.signal.aborted) progress.step();
  }).finally(progress.end);
  return rows.map((row) => planned.get(row) ?? row);
}

/** What is shown before decisions are recorded. Ids are whole, to be copied: a decision is final. */
export function describeDecisions(rows: readonly DecisionRow[]): Plan {
  const decided = rows.filter(({ plan }) => plan === 'decide');
  const statuses = describeStatuses(decided.map(({ status }) => printable(status)));
  return {
    words: rowWords,
    known: rows.flatMap((row) => {
      const result = knownResult(row);
      const name = [`line ${row.line}`, nameOfCase(row), row.status].filter(Boolean).join('  ');
      return result === null ? [] : [{ name: printableInOneLine(name), result }];
    }),
    header: ['LINE', 'DISPUTE', 'STATUS', 'RESOLUTION'],
    fits: [undefined, undefined, undefined, 'cut end'],
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
