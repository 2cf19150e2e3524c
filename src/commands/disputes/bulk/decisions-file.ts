import { type ItemPlan, type ItemResult, known, makeResult } from '../../../cli/batch/item-result.ts';
import { invalidInput, type Step } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { usualSpelling } from '../../../contract/fields.ts';
import { canonicalId, uuidPattern } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { Decision } from '../dispute/dispute-status.ts';
import {
  type Columns,
  columnFlag,
  countColumns,
  decisionColumns,
  findColumns,
  type KeyColumn,
  keyColumns,
  type NamedColumn,
} from './columns.ts';
import { type CsvRow, parseCsv } from './csv.ts';

/** A row of a file, and what to do with it: decide, or nothing because its result is known. */
export interface DecisionRow extends Decision {
  /** From 1. */
  readonly line: number;
  /** Empty if the row has another number of the case, until the dispute was found. */
  readonly disputeId: string;
  /** What the row has in place of the id: the case number of the payment provider, or the order. */
  readonly number: CaseNumber | null;
  /** The buyer and the reason of the dispute, shown where the row does not have its id. */
  readonly seen?: string;
  /** All of the row, as it is in the file. */
  readonly cells: readonly string[];
  readonly plan: ItemPlan<'decide'>;
}

export interface CaseNumber {
  readonly column: Exclude<KeyColumn, 'disputeId'>;
  readonly value: string;
}

export interface DecisionsFile {
  readonly name: string;
  /** As they are in the file. */
  readonly titles: readonly string[];
  readonly rows: readonly DecisionRow[];
}

const statusField = decideDispute.body.shape.status;

const header = 'disputeId,status,resolution';

/**
 * The decisions in a CSV text, with the columns that the user names. Rows without a resolution have the one for all of them, if
 * it is given. Invalid rows do not stop the others. Throws exit 2 if the file as a whole is unusable.
 */
export function parseDecisions(
  text: string,
  name: string,
  named: readonly NamedColumn[],
  resolution: string | null,
): DecisionsFile {
  const [first, ...records] = parseCsv(text, name, (titles) => countColumns(titles, named));
  const titles = first?.cells ?? [];
  const columns =
    first === undefined
      ? null
      : findColumns(titles, named, { file: name, hasResolution: resolution !== null });
  if (columns === null || records.length === 0) {
    throw invalidInput(`no decisions in ${name}`, `write one per line below the header ${header}`);
  }
  return { name, titles, rows: records.map((record) => readRow(record, titles, { columns, resolution })) };
}

function readRow(
  { line, cells }: CsvRow,
  titles: readonly string[],
  { columns, resolution }: { readonly columns: Columns; readonly resolution: string | null },
): DecisionRow {
  const cellOf = (column: KeyColumn | keyof Decision) => cells[columns.get(column) ?? -1] ?? '';
  const textIn = (column: KeyColumn | keyof Decision) =>
    cellOf(column) || (column === 'resolution' ? (resolution ?? '') : '');
  const key = keyColumns.find((column) => textIn(column) !== '');
  const disputeId = canonicalId(textIn('disputeId'));
  const number = key === undefined || key === 'disputeId' ? null : { column: key, value: textIn(key) };
  const status = usualSpelling(statusField, textIn('status'));
  const row = { line, cells, disputeId, number, status, resolution: textIn('resolution') };
  if (cells.length !== titles.length) {
    const quote =
      cells.length > titles.length ? ': put text that contains the separator in double quotes' : '';
    const plan = known(invalidRow(`expected ${titles.length} columns, found ${cells.length}${quote}`));
    // Which part of the row it was is not known, and a part of it must not become a final decision.
    return { ...row, resolution: '', plan };
  }
  const [keyColumn = 'disputeId'] = keyColumns.filter((column) => columns.has(column));
  const empty = [...(key === undefined ? [keyColumn] : []), ...decisionColumns].find(
    (column) => textIn(column) === '',
  );
  if (empty !== undefined) return { ...row, plan: known(invalidRow(`${empty} is empty`)) };
  const problem = problemOfKey(row, titles, columns) ?? problemOfStatus(status);
  return { ...row, plan: problem === null ? { kind: 'decide' } : known(problem) };
}

/** As a terminal shows an id: `01985f2e…`. */
const beginningOfId = /^[\da-f]{8}(?=.*[a-f…-])[\da-f-]*(?:…|\.{3})?$/i;

/** Why a row does not say which dispute it is about, or null. */
function problemOfKey(
  { disputeId, number }: Pick<DecisionRow, 'disputeId' | 'number'>,
  titles: readonly string[],
  columns: Columns,
): ItemResult | null {
  if (number !== null) return problemOfNumber(number);
  if (uuidPattern.test(disputeId)) return null;
  const title = titles[columns.get('disputeId') ?? -1] ?? '';
  const caseNumbers = {
    say: `for case numbers of a payment provider, add ${columnFlag} providerCaseId="${title}"`,
  };
  return invalidRow('disputeId is not a whole id', [
    ...(beginningOfId.test(disputeId) ? [] : [caseNumbers]),
    { run: ['disputes', 'list', '-q'], rest: 'to see whole ids' },
  ]);
}

function problemOfNumber({ column, value }: CaseNumber): ItemResult | null {
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(value)) {
    return invalidRow(`${column} was rounded by a spreadsheet (${value}): format the column as text`);
  }
  return column === 'orderId' && !uuidPattern.test(value) ? invalidRow('orderId is not a whole id') : null;
}

function problemOfStatus(status: string): ItemResult | null {
  const [problem] = statusField.safeParse(status).error?.issues ?? [];
  return problem === undefined ? null : invalidRow(problem.message);
}

/** The result of a row that is not a decision. */
export function invalidRow(message: string, remedy: readonly Step[] = []): ItemResult {
  return makeResult('failed', { code: 'invalid_input', message, remedy, exitCode: exitCodes.usage });
}

/** Of equal rows for one dispute the first is used; contradictory rows are all invalid. */
export function withoutRepeated(rows: readonly DecisionRow[]): DecisionRow[] {
  const byDispute = new Map<string, DecisionRow[]>();
  for (const row of rows)
    if (row.plan.kind === 'decide')
      byDispute.set(row.disputeId, [...(byDispute.get(row.disputeId) ?? []), row]);
  return rows.map((row) => {
    const same = row.plan.kind === 'decide' ? (byDispute.get(row.disputeId) ?? []) : [];
    const other = same.find((one) => !isSameDecision(one, row));
    if (other !== undefined)
      return {
        ...row,
        plan: known(invalidRow(`line ${other.line} has a different decision for this dispute`)),
      };
    const [first = row] = same;
    if (first === row) return row;
    return {
      ...row,
      plan: known(makeResult('skipped', { code: 'repeated', message: `repeats line ${first.line}` })),
    };
  });
}

export function isSameDecision(a: Decision, b: Decision): boolean {
  return a.status === b.status && a.resolution === b.resolution;
}
