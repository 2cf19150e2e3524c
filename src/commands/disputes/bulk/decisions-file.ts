import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import type { BatchEnd } from '../../../cli/batch/run-batch.ts';
import type { Session } from '../../../cli/command/session.ts';
import { invalidInput, type Step } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { openFile, outputFileOption } from '../../../cli/output/output-file.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { usualSpelling } from '../../../contract/fields.ts';
import { canonicalId, uuidPattern } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { Decision } from '../dispute-status.ts';
import { type CsvRow, parseCsv } from './csv.ts';

/** A row of a file, and what to do with it: decide, or nothing because its result is known. */
export interface DecisionRow extends Decision {
  /** From 1. */
  readonly line: number;
  readonly disputeId: string;
  /** All of the row, as it is in the file. */
  readonly cells: readonly string[];
  readonly plan: 'decide' | ItemResult;
}

const statusField = decideDispute.body.shape.status;

const columns = ['disputeId', 'status', 'resolution'] as const;

/**
 * The decisions in a CSV text, and the titles of its columns, of which others are ignored. Invalid rows do not stop the others. Throws exit 2 if the file as a
 * whole is unusable.
 */
export function parseDecisions(
  text: string,
  name: string,
): { readonly name: string; readonly titles: readonly string[]; readonly rows: readonly DecisionRow[] } {
  const [header, ...records] = parseCsv(text, name);
  const titles = header?.cells.map(columnOf) ?? [];
  const isEmpty = text.trim() === '';
  if (!isEmpty && columns.some((column) => titles.filter((title) => title === column).length !== 1)) {
    throw invalidInput(
      `${name} needs the columns ${columns.join(', ')}, each once (found: ${truncateText(titles.join(', '), 60)})`,
      `the first line must name the columns: ${columns.join(',')}`,
    );
  }
  if (records.length === 0) {
    throw invalidInput(`no decisions in ${name}`, `write one per line below the header ${columns.join(',')}`);
  }
  return { name, titles, rows: withoutRepeated(records.map((record) => readRow(record, titles))) };
}

/** The column that a title names, as spreadsheets write it: `Dispute ID` is disputeId. Other titles stay as they are. */
function columnOf(title: string): string {
  const word = title.replaceAll(/[\s_-]/g, '').toLowerCase();
  return columns.find((column) => column.toLowerCase() === word) ?? title.trim();
}

function readRow({ line, cells }: CsvRow, titles: readonly string[]): DecisionRow {
  const textIn = (column: (typeof columns)[number]) => (cells[titles.indexOf(column)] ?? '').trim();
  const disputeId = canonicalId(textIn('disputeId'));
  const status = usualSpelling(statusField, textIn('status'));
  const row = { line, cells, disputeId, status, resolution: textIn('resolution') };
  if (cells.length !== titles.length) {
    const quote =
      cells.length > titles.length ? ': put text that contains the separator in double quotes' : '';
    const plan = invalidRow(`expected ${titles.length} columns, found ${cells.length}${quote}`);
    // Which part of the row it was is not known, and a part of it must not become a final decision.
    return { ...row, resolution: '', plan };
  }
  const empty = columns.find((column) => row[column] === '');
  if (empty !== undefined) return { ...row, plan: invalidRow(`${empty} is empty`) };
  if (!uuidPattern.test(disputeId)) {
    const remedy = [{ run: ['disputes', 'list', '-q'], rest: 'to see whole ids' }];
    return { ...row, plan: invalidRow('disputeId is not a whole id: copy it from the case', remedy) };
  }
  const [problem] = statusField.safeParse(status).error?.issues ?? [];
  return { ...row, plan: problem === undefined ? 'decide' : invalidRow(`"${status}" ${problem.message}`) };
}

/** The result of a row that is not a decision. */
function invalidRow(message: string, remedy: readonly Step[] = []): ItemResult {
  return makeResult('failed', { code: 'invalid_input', message, remedy, exitCode: exitCodes.usage });
}

/** Of equal rows for one dispute the first is used; contradictory rows are all invalid. */
function withoutRepeated(rows: readonly DecisionRow[]): DecisionRow[] {
  const byDispute = new Map<string, DecisionRow[]>();
  for (const row of rows)
    if (row.plan === 'decide') byDispute.set(row.disputeId, [...(byDispute.get(row.disputeId) ?? []), row]);
  return rows.map((row) => {
    const same = row.plan === 'decide' ? (byDispute.get(row.disputeId) ?? []) : [];
    const other = same.find((twin) => !isSameDecision(twin, row));
    if (other !== undefined)
      return { ...row, plan: invalidRow(`line ${other.line} has a different decision for this dispute`) };
    const [first = row] = same;
    if (first === row) return row;
    return {
      ...row,
      plan: makeResult('skipped', { code: 'repeated', message: `repeats line ${first.line}` }),
    };
  });
}

export function isSameDecision(a: Decision, b: Decision): boolean {
  return a.status === b.status && a.resolution === b.resolution;
}

/** The file beside `--output-file` for the rows that failed, or null without that flag. */
export function failedRowsFile(parsed: ParsedCommand): string | null {
  const outputFile = optionValue(parsed, outputFileOption.flag);
  return outputFile === undefined ? null : `${outputFile.replace(/\.json$/i, '')}.failed.csv`;
}

/** Columns that are put before those of the file. They are not sent. */
const addedColumns = ['line', 'reason'];

/**
 * Writes the rows that failed as a CSV file beside `--output-file`, as they were, each with its line and why it failed. Returns
 * what to do about them, if there are any. They are corrected in the file of all rows, so that its results stay in one file.
 */
export function writeFailedRows(
  { io }: Session,
  parsed: ParsedCommand,
  { name, titles }: Omit<ReturnType<typeof parseDecisions>, 'rows'>,
  { ended, stop }: BatchEnd<DecisionRow>,
): readonly Step[] | undefined {
  const failed = ended.filter(({ result }) => result.outcome === 'failed');
  const file = failedRowsFile(parsed);
  if (file === null || failed.length === 0) return undefined;
  const withoutAdded = (cells: readonly string[]) =>
    cells.filter((_, column) => !addedColumns.includes(titles[column] ?? ''));
  const lines = failed.map(({ item: { line, cells }, result }) => [
    // The line of the first file, if this one was written for another.
    cells[titles.indexOf('line')] ?? String(line),
    reasonOf(result),
    ...withoutAdded(cells),
  ]);
  const rows = [[...addedColumns, ...withoutAdded(titles)], ...lines];
  const text = rows.map((cells) => cells.map(quote).join(',')).join('\n');
  const write = openFile(io, file);
  // Somebody may have corrected rows in it.
  const earlier = path.resolve(io.cwd, file);
  const isOther = existsSync(earlier) && readFileSync(earlier, 'utf8') !== `${text}\n`;
  if (isOther) renameSync(earlier, `${earlier}~`);
  write(text);
  const kept = isOther ? [{ say: `the earlier ${file} is now ${file}~` }] : [];
  if (stop !== null) return [{ say: `the rows that failed so far are in ${file}` }, ...kept];
  return [{ say: `correct or remove these rows in ${name}; ${file} has them and the reasons` }, ...kept];
}

/** A text from the service must not become a formula in a spreadsheet. */
function reasonOf({ message }: ItemResult): string {
  return printableInOneLine(message).replace(/^(?=[=+\-@])/, "'");
}

function quote(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
