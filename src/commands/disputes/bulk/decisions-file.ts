import { isObject } from '../../../base/json.ts';
import { invalidInput } from '../../../cli/core/errors.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { pathParameterProblem } from '../../../contract/operation.ts';
import { decisions } from '../../../contract/operations/disputes.ts';
import { parseCsv, separatorOf } from './csv.ts';

export interface Decision {
  readonly status: string;
  readonly resolution: string;
}

/** A row of a file. */
export interface FileRow {
  /** From 1. */
  readonly line: number;
  readonly disputeId: string | null;
  /** Null where the row is not valid. */
  readonly decision: Decision | null;
  /** Why it is not sent: it is not valid, or an exact repetition of an earlier row. */
  readonly refusal: { readonly isRepeated: boolean; readonly message: string } | null;
  /** What the file has in the known columns; empty where it is no text. */
  readonly cells: Cells;
}

type Cells = Readonly<Record<(typeof columns)[number], string>>;

export interface DecisionsFile {
  readonly rows: readonly FileRow[];
  /** Unknown columns and fields, which are not sent. */
  readonly ignored: readonly string[];
}

const columns = ['disputeId', 'status', 'resolution'] as const;

/** A row before validation. */
interface RawRow {
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

/**
 * The decisions in a CSV text with a header, or in JSON lines, which begin with a brace. Invalid rows are returned
 * separately, so that they do not stop the others. Throws exit 2 if the file as a whole is unusable.
 */
export function parseDecisions(text: string, name: string): DecisionsFile {
  // A byte order mark is white space as well.
  const isEmpty = text.trim() === '';
  const raw = isEmpty ? [] : /^\ufeff?\s*\{/.test(text) ? jsonRows(text) : csvRows(text, name);
  if (raw.length === 0) {
    throw invalidInput(`no decisions in ${name}`, `write one per line below the header ${columns.join(',')}`);
  }
  const names = new Set(raw.flatMap(({ values }) => Object.keys(values)));
  const ignored = [...names].filter((field) => !columns.some((column) => column === field));
  return { rows: withoutRepeated(raw.map(rowOf)), ignored };
}

function rowOf({ line, values, problem: unreadable }: RawRow): FileRow {
  const problem = unreadable ?? problemOf(values);
  const textOf = (column: keyof Cells) => (typeof values[column] === 'string' ? values[column] : '');
  const cells = {
    disputeId: textOf('disputeId'),
    status: textOf('status'),
    // Which part of the row it was is not known, and a part of it must not become a final decision.
    resolution: unreadable === undefined ? textOf('resolution') : '',
  };
  const disputeId = cells.disputeId.trim() || null;
  if (problem !== null)
    return { line, disputeId, cells, decision: null, refusal: { isRepeated: false, message: problem } };
  const decision = {
    status: usualCase(cells.status.trim()),
    // A file may be saved with other line breaks than before; the decision is the same.
    resolution: cells.resolution.replaceAll('\r\n', '\n').trim(),
  };
  return { line, disputeId, cells, decision, refusal: null };
}

/**
 * The dispute ids of a file that holds nothing else: one a line, with or without the header `disputeId`. Null for any other
 * file.
 */
export function parseIds(text: string, name: string): string[] | null {
  if (/^\ufeff?\s*\{/.test(text)) return null;
  const rows = parseCsv(text, name);
  const [first = '', ...others] = rows.map(({ cells }) => cells.join().trim());
  if (rows.some(({ cells }) => cells.length > 1)) return null;
  if (columnOf(first) === columns[0] || first === 'id') return others;
  // Another header would have no digits.
  return /^[\w.-]*\d[\w.-]*$/.test(first) ? [first, ...others] : null;
}

/** The column that a title names, as spreadsheets write it: `Dispute ID` is disputeId. Other titles stay as they are. */
function columnOf(title: string): string {
  const word = title.replaceAll(/[\s_-]/g, '').toLowerCase();
  return columns.find((column) => column.toLowerCase() === word) ?? title.trim();
}

function csvRows(text: string, name: string): RawRow[] {
  const [header, ...records] = parseCsv(text, name);
  const separator = { ',': 'a comma', ';': 'a semicolon' }[separatorOf(text)] ?? 'a tab';
  const titles = header?.cells.map(columnOf) ?? [];
  const missing = columns.filter((column) => !titles.includes(column));
  if (missing.length > 0 || new Set(titles).size < titles.length) {
    throw invalidInput(
      missing.length > 0
        ? `${name} has no column${missing.length > 1 ? 's' : ''} ${missing.join(', ')} (found: ${truncateText(titles.join(', '), 60)})`
        : `${name} has the same column twice`,
      `the first line must name the columns: ${columns.join(',')}`,
    );
  }
  return records.map(({ line, cells }) => ({
    line,
    values: Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? ''])),
    ...(cells.length !== titles.length && {
      problem: `expected ${titles.length} columns, found ${cells.length}${cells.length > titles.length ? `: put text that contains ${separator} in double quotes` : ''}`,
    }),
  }));
}

function jsonRows(text: string): RawRow[] {
  return text
    .replace(/^\ufeff/, '')
    .split('\n')
    .flatMap((line, index): RawRow[] => {
      if (line.trim() === '') return [];
      try {
        const values: unknown = JSON.parse(line);
        if (isObject(values)) return [{ line: index + 1, values }];
      } catch {
        // Reported below.
      }
      return [{ line: index + 1, values: {}, problem: 'not a JSON object' }];
    });
}

function problemOf(values: Readonly<Record<string, unknown>>): string | null {
  for (const column of columns) {
    const value = values[column];
    if (value === undefined || value === null) return `${column} is missing`;
    if (typeof value !== 'string') return `${column} must be a string`;
    if (value.trim() === '') return `${column} is empty`;
  }
  const problem = pathParameterProblem(String(values.disputeId).trim());
  return problem === null ? null : `disputeId ${problem}`;
}

/** The usual decisions are accepted in any letter case. */
function usualCase(status: string): string {
  return decisions.find((usual) => usual === status.toLowerCase()) ?? status;
}

/** Of equal rows for one dispute the first is used; contradictory rows are all invalid. */
function withoutRepeated(rows: readonly FileRow[]): FileRow[] {
  const idOf = ({ disputeId }: Pick<FileRow, 'disputeId'>) => disputeId?.toLowerCase();
  const byDispute = new Map<string | undefined, (FileRow & { readonly decision: Decision })[]>();
  for (const { decision, ...row } of rows)
    if (decision !== null)
      byDispute.set(idOf(row), [...(byDispute.get(idOf(row)) ?? []), { ...row, decision }]);
  return rows.map((row) => {
    const { decision } = row;
    const [first, ...others] = byDispute.get(idOf(row)) ?? [];
    if (decision === null || first === undefined) return row;
    const other = [first, ...others].find((twin) => !isSameDecision(twin.decision, decision));
    if (other !== undefined) {
      const message = `line ${other.line} has a different decision for this dispute`;
      return { ...row, decision: null, refusal: { isRepeated: false, message } };
    }
    if (first.line === row.line) return row;
    return { ...row, refusal: { isRepeated: true, message: `same as line ${first.line}` } };
  });
}

export function isSameDecision(a: Decision, b: { readonly [Name in keyof Decision]: unknown }): boolean {
  return a.status === b.status && a.resolution === b.resolution;
}
