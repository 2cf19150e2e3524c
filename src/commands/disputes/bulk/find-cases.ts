import { textAt } from '../../../base/json.ts';
import { known } from '../../../cli/batch/item-result.ts';
import { startProgress } from '../../../cli/batch/progress.ts';
import { forEachConcurrently } from '../../../cli/batch/run-batch.ts';
import { rememberObjects } from '../../../cli/command/known.ts';
import { CliError, type Step } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { expectApplied, unreadableResponse } from '../../../cli/operation/result/expect-applied.ts';
import { askService, readPage } from '../../../cli/operation/send/ask-service.ts';
import { canonicalId, uuidPattern } from '../../../contract/operation.ts';
import { listDisputes } from '../../../contract/operations/disputes.ts';
import { maxPageSize } from '../../../contract/pages.ts';
import { columnFlag } from './columns.ts';
import { type CaseNumber, type DecisionRow, invalidRow } from './decisions-file.ts';

const maxConcurrentReads = 4;

/**
 * Finds the disputes of the rows that have a case number in place of an id. None or several is an error of the row. Throws exit 7
 * if the service cannot be asked, before anything is sent.
 */
export async function findCases(run: Run, rows: readonly DecisionRow[]): Promise<DecisionRow[]> {
  const numbers = new Map<string, CaseNumber>();
  for (const { plan, number } of rows)
    if (plan.kind === 'decide' && number !== null) numbers.set(keyOf(number), number);
  const found = new Map<string, Partial<DecisionRow>>();
  const progress = startProgress(run.ui, numbers.size, 'cases found');
  await forEachConcurrently([...numbers.values()], maxConcurrentReads, async (number) => {
    found.set(keyOf(number), await findCase(run, number));
    progress.step();
  }).finally(progress.end);
  return rows.map((row) =>
    row.plan.kind === 'decide' && row.number !== null ? { ...row, ...found.get(keyOf(row.number)) } : row,
  );
}

const keyOf = ({ column, value }: CaseNumber) => `${column} ${value}`;

/** What the list says about one number. */
async function findCase(run: Run, { column, value }: CaseNumber): Promise<Partial<DecisionRow>> {
  const { items, isWhole } = await listFor(run, { column, value });
  // A service may ignore a filter that it does not know.
  const matches = items.filter((item) => canonicalId(textAt(item, [column]) ?? '') === canonicalId(value));
  if (matches.length < items.length && !isWhole) {
    throw cannotFind(column, `this service lists disputes, but does not find them by ${column}`);
  }
  const ids = matches.flatMap((item) => textAt(item, ['id']) ?? []);
  const [id = ''] = ids;
  if (ids.length !== 1 || !isWhole || !uuidPattern.test(id)) {
    const remedy: Step[] = [{ say: 'use disputeId for these rows' }];
    return ids.length === 0
      ? { plan: known(invalidRow(`no dispute has this ${column}`)) }
      : { plan: known(invalidRow(`several disputes have this ${column}: ${ids.join(', ')}`, remedy)) };
  }
  await rememberObjects(run.session, 'dispute', matches);
  const seen = ['buyerEmail', 'reason'].flatMap((name) => textAt(matches[0], [name]) ?? []);
  return { disputeId: canonicalId(id), seen: [value, ...seen].join('  ') };
}

/** The disputes with a number, and whether they are all of them. */
async function listFor(run: Run, { column, value }: CaseNumber) {
  const { session, target } = run;
  const query = { [column]: value, limit: String(maxPageSize) };
  const outcome = await askService(session, target, { operation: listDisputes, query });
  if (outcome === null) throw cannotFind(column, `this service cannot find disputes by ${column}`);
  const request = { operation: listDisputes, parameters: {}, body: null };
  const page = readPage(expectApplied({ ...run, request }, outcome, null));
  if (page === null) throw unreadableResponse(listDisputes);
  return { items: page.items, isWhole: page.next === null };
}

function cannotFind(column: string, what: string): CliError {
  return new CliError({
    code: 'cannot_list',
    exitCode: exitCodes.rejected,
    what,
    next: [
      { say: `add a column disputeId with the ids of the disputes, or ${columnFlag} disputeId="TITLE"` },
    ],
    outcome: 'not_sent',
    fields: [{ field: column, flag: columnFlag, detail: 'cannot be looked up' }],
  });
}
