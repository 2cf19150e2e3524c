import Table from 'cli-table3';
import { isObject } from '../../base/json.ts';
import { drawn, joined, type Printable, printableLines } from '../core/sanitize.ts';
import { formatValue, type ValueContext } from './format-value.ts';
import { labelOf, type Tone, toneOf } from './labels.ts';
import type { Style } from './style.ts';
import { displayWidth, padText, truncateText, wrapText } from './wrap.ts';

/** What stands in a column: a text, which is escaped here, or one with marks in it. */
export type Cell = string | { readonly drawn: Printable };

/** A row of a record: its label, its value, and the color of the value if it has one. */
export type Row = readonly [label: Cell, value: Cell, tone?: Tone | undefined];

function textOf(cell: Cell): Printable {
  return typeof cell === 'string' ? printableLines(cell) : cell.drawn;
}

/**
 * The fields of a JSON object as rows, those of nested objects too, null and missing ones left out.
 * Lists of objects are left out as well: they are tables of their own.
 */
export function rowsOf(body: unknown, context: ValueContext = {}, parent: readonly string[] = []): Row[] {
  if (!isObject(body)) return [['Value', JSON.stringify(body)]];
  return Object.entries(body).flatMap(([name, value]): Row[] => {
    const path = [...parent, name];
    if (value === null || value === undefined) return [];
    if (isObject(value)) return Object.keys(value).length === 0 ? [] : rowsOf(value, context, path);
    if (Array.isArray(value) && value.some(isObject)) return [];
    return [
      [
        labelOf(path),
        formatValue(name, value, context) || '-',
        toneOf(name, value, context.now ?? Date.now()),
      ],
    ];
  });
}

/**
 * Two columns, labels and values, wrapped to the width of the terminal. A value goes below its label if the terminal is too
 * narrow for two columns, or if the value has a word too long for its column, such as an id, that fits there.
 */
export function renderRecord(cells: readonly Row[], style: Style): Printable {
  const rows = cells.map(([label, value, tone]) => [textOf(label), textOf(value), tone] as const);
  if (style.plain) return drawn(rows.map(([label, value]) => `${label}: ${value}`).join('\n'));
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const total = width - 2 * gap - 1;
  // Long labels wrap before the value column gets too narrow to read.
  const labelWidth = Math.min(
    Math.max(0, ...rows.map(([label]) => displayWidth(label))),
    total - minValueWidth,
    Math.floor(total / 2),
  );
  const valueWidth = total - labelWidth;
  const lines = rows.flatMap(([label, value, tone]) => {
    const longest = longestWord(value);
    const isBelow = width < minRecordWidth || (longest > valueWidth && longest <= width - gap);
    const paint = (text: string) => (tone === undefined ? text : style.color[tone](text));
    const labels = wrapText(label, isBelow ? width : labelWidth).split('\n');
    const values = wrapText(value, isBelow ? width - gap : valueWidth).split('\n');
    if (isBelow) {
      return [
        ...labels.map((text) => style.color.bold(text)),
        ...values.map((text) => ' '.repeat(gap) + paint(text)),
      ];
    }
    return Array.from({ length: Math.max(labels.length, values.length) }, (_, index) => {
      const part = labels[index] ?? '';
      return padText(part && style.color.bold(part), labelWidth + gap) + paint(values[index] ?? '');
    });
  });
  return drawn(trimLines(lines.join('\n')));
}

/** {@link renderRecord}, indented by two spaces. */
export function renderIndented(rows: readonly Row[], style: Style): Printable {
  const width = style.width === null ? null : style.width - gap;
  return indented(renderRecord(rows, { ...style, width }));
}

/** Text of several lines, indented by two spaces. */
export function indented(text: Printable): Printable {
  return drawn(text.replace(/^(?=.)/gm, ' '.repeat(gap)));
}

/**
 * A table with a header; in a terminal that is too narrow, a record for each row.
 * Text is wrapped to fit. Words are not, because ids and addresses must stay copyable.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  style: Style,
): Printable {
  const cells = textsOf(rows);
  const total = style.width ?? Number.POSITIVE_INFINITY;
  const widths = columnWidths(header, cells);
  const minWidths = header.map((title, column) =>
    Math.max(title.length, minColumnWidth, ...cells.map((row) => longestWord(row[column] ?? ''))),
  );
  // The widest columns are narrowed first, all to the same width.
  const narrowedTo = (max: number) =>
    widths.map((width, column) => Math.min(width, Math.max(max, minWidths[column] ?? 0)));
  let max = Math.max(...widths);
  while (max > 0 && rowWidth(narrowedTo(max)) > total) max -= 1;
  if (!style.plain && max > 0) return drawTable(header, cells, narrowedTo(max), style);
  const records = cells.map((row) =>
    header.map((title, column): Row => [labelOf([title]), { drawn: row[column] ?? printableLines('') }]),
  );
  return joined(
    records.map((fields) => renderRecord(fields, style)),
    '\n\n',
  );
}

function textsOf(rows: readonly (readonly Cell[])[]): readonly (readonly Printable[])[] {
  return rows.map((row) => row.map(textOf));
}

/**
 * A table with a line for each row. In a terminal that is too narrow, the rows are not whole, and the columns that may be
 * cut are narrowed, the widest first; where that is too little, a record for each whole row.
 */
export function renderLines(
  header: readonly string[],
  rowsWith: (isWhole: boolean) => readonly (readonly Cell[])[],
  mayBeCut: readonly number[],
  style: Style,
): Printable {
  const { width, plain } = style;
  const whole = textsOf(rowsWith(true));
  const missing = (rows: readonly (readonly Printable[])[]) =>
    width === null ? 0 : rowWidth(columnWidths(header, rows)) - width;
  const drawWhole = (rows: typeof whole) =>
    renderTable(
      header,
      rows.map((row) => row.map((text) => ({ drawn: text }))),
      style,
    );
  if (plain || missing(whole) <= 0) return drawWhole(whole);
  const short = textsOf(rowsWith(false));
  const widths = columnWidths(header, short);
  let excess = missing(short);
  while (excess > 0) {
    const widest = mayBeCut.reduce((one, other) => ((widths[other] ?? 0) > (widths[one] ?? 0) ? other : one));
    const room = (widths[widest] ?? 0) - 1;
    if (room < Math.max(minCutWidth, header[widest]?.length ?? 0)) break;
    widths[widest] = room;
    excess -= 1;
  }
  const cut = short.map((row) => row.map((text, column) => truncateText(text, widths[column] ?? 0)));
  return drawWhole(missing(cut) <= 0 ? cut : whole);
}

function columnWidths(header: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return header.map((title, column) =>
    Math.max(title.length, widest(rows.flatMap((row) => (row[column] ?? '').split('\n')))),
  );
}

function drawTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  { color }: Style,
): Printable {
  // As wide as its column, so that all parts of a long table have the same columns.
  const titles = header.map((title, column) => color.bold(title.toUpperCase().padEnd(widths[column] ?? 0)));
  const lines = cells.flatMap((row) => linesOf(row, header, widths, color));
  const parts = Array.from({ length: Math.ceil(lines.length / linesAtOnce) }, (_, part) => {
    const table = new Table({
      // Its own colors would write escapes into pipes.
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
      chars: noBorder,
    });
    table.push(titles, ...lines.slice(part * linesAtOnce, (part + 1) * linesAtOnce));
    const drawnLines = trimLines(table.toString()).split('\n');
    return drawnLines.slice(part === 0 ? 0 : 1).join('\n');
  });
  return drawn(parts.join('\n'));
}

/** The lines of a row, each with its part of every cell. */
function linesOf(
  row: readonly string[],
  header: readonly string[],
  widths: readonly number[],
  color: Style['color'],
): string[][] {
  const cells = row.map((cell, column) => {
    const tone = toneOf(header[column] ?? '', cell, Date.now());
    const lines = wrapText(cell, widths[column] ?? 0).split('\n');
    return tone === undefined ? lines : lines.map((text) => color[tone](text));
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) => cells.map((lines) => lines[index] ?? ''));
}

/** The time that the library takes grows with the square of the lines: with all at once, five seconds for 10 000. */
const linesAtOnce = 100;

const noBorder = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);

const gap = 2;

/** Minimum width to which a table column may be narrowed. */
const minColumnWidth = 10;

/** Minimum width of a column that is cut. */
const minCutWidth = 8;

/** Minimum width of a record in two columns. */
const minRecordWidth = 34;

/** Minimum width of the values of a record. */
const minValueWidth = 18;

function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + gap, 0);
}

function longestWord(text: string): number {
  return widest(text.split(/\s/));
}

/** A long list cannot be the arguments of a call. */
function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
