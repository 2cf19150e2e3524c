import Table from 'cli-table3';
import { isObject } from '../../base/json.ts';
import { printable } from '../core/sanitize.ts';
import { formatValue, type ValueContext } from './format-value.ts';
import { labelOf, type Tone, toneOf } from './labels.ts';
import type { Style } from './style.ts';
import { displayWidth, truncateText, wrapText } from './wrap.ts';

/** A row of a record: its label, its value as text, and the color of the value if it has one. */
export type Row = readonly [label: string, value: string, tone?: Tone | undefined];

/**
 * The fields of a JSON object as rows, those of nested objects too, null and missing ones left out.
 * Lists of objects are left out as well: they are tables of their own.
 */
export function rowsOf(body: unknown, context: ValueContext = {}, parent: readonly string[] = []): Row[] {
  if (!isObject(body)) return [['Value', printable(JSON.stringify(body))]];
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
 * Two columns, labels and values, wrapped to the width of the terminal. A value with a word too long for its column, such
 * as an id, goes below its label if it fits there.
 */
export function renderRecord(rows: readonly Row[], style: Style): string {
  if (style.plain) return rows.map(([label, value]) => `${label}: ${value}`).join('\n');
  if (style.width !== null && style.width < minRecordWidth) return renderNarrow(rows, style, style.width);
  const total = style.width === null ? Number.POSITIVE_INFINITY : style.width - 2 * gap - 1;
  // Long labels wrap before the value column gets too narrow to read.
  const labelWidth = Math.min(
    Math.max(0, ...rows.map(([label]) => displayWidth(label))),
    total - minValueWidth,
    Math.floor(total / 2),
  );
  const valueWidth = total - labelWidth;
  const below = (style.width ?? Number.POSITIVE_INFINITY) - gap;
  const lines = rows.flatMap(([label, value, tone]) => {
    const wrap = (width: number) => {
      const shown = wrapText(value, width).split('\n');
      return tone === undefined ? shown : shown.map((line) => style.color[tone](line));
    };
    const labels = wrapText(label, labelWidth).split('\n');
    const widest = longestWord(value);
    if (widest > valueWidth && widest <= below) {
      return [...labels.map((text) => style.color.bold(text)), ...wrap(below).map((text) => `  ${text}`)];
    }
    const values = wrap(valueWidth);
    return Array.from({ length: Math.max(labels.length, values.length) }, (_, index) => {
      const text = labels[index] ?? '';
      const padding = ' '.repeat(labelWidth - displayWidth(text) + gap);
      return (text === '' ? '' : style.color.bold(text)) + padding + (values[index] ?? '');
    });
  });
  return trimLines(lines.join('\n'));
}

/** Values below their labels, for a terminal with no room for two columns. */
function renderNarrow(rows: readonly Row[], { color }: Style, width: number): string {
  const lines = rows.flatMap(([label, value, tone]) => [
    ...wrapText(label, width)
      .split('\n')
      .map((line) => color.bold(line)),
    ...wrapText(value, width - gap)
      .split('\n')
      .map((line) => ' '.repeat(gap) + (tone === undefined ? line : color[tone](line))),
  ]);
  return lines.join('\n');
}

/** {@link renderRecord}, indented by two spaces. */
export function renderIndented(rows: readonly Row[], style: Style): string {
  const width = style.width === null ? null : style.width - gap;
  return renderRecord(rows, { ...style, width }).replace(/^(?=.)/gm, ' '.repeat(gap));
}

/**
 * A table with a header; in a terminal that is too narrow, a record for each row. Cells must be printable already.
 * Text is wrapped to fit. Words are not, because ids and addresses must stay copyable.
 */
export function renderTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  style: Style,
): string {
  const { width, plain } = style;
  const widths = columnWidths(header, cells);
  if (!plain && (width === null || rowWidth(widths) <= width)) return drawTable(header, cells, widths, style);
  const minWidths = header.map((title, column) =>
    Math.max(title.length, minColumnWidth, ...cells.map((row) => longestWord(row[column] ?? ''))),
  );
  const narrowed = width === null ? widths : fitWidths(widths, width, minWidths);
  if (!plain && width !== null && rowWidth(narrowed) <= width)
    return drawTable(header, cells, narrowed, style);
  const records = cells.map((row) =>
    header.map((title, column): Row => [labelOf([title]), row[column] ?? '']),
  );
  return records.map((rows) => renderRecord(rows, style)).join('\n\n');
}

/** Whether each row takes one line of the terminal. */
export function rowsFit(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { width, plain }: Style,
): boolean {
  return width === null || plain === true || rowWidth(columnWidths(header, rows)) <= width;
}

/** The rows with one column cut to what the others leave of the terminal's width. */
export function cutColumn(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  column: number,
  style: Style,
): (readonly string[])[] {
  if (style.width === null || rowsFit(header, rows, style)) return [...rows];
  const widths = columnWidths(header, rows);
  const others = rowWidth(widths) - (widths[column] ?? 0);
  const room = Math.max(minCutWidth, style.width - others);
  return rows.map((row) => row.with(column, truncateText(row[column] ?? '', room)));
}

function columnWidths(header: readonly string[], rows: readonly (readonly string[])[]): number[] {
  return header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => longestLine(row[column] ?? ''))),
  );
}

function drawTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  style: Style,
): string {
  const titles = header.map((title) => title.toUpperCase());
  const texts = cells.map((row) => row.map((cell, column) => wrapText(cell, widths[column] ?? 0)));
  const paint = (text: string, row: number, column: number) => {
    const tone = row < 0 ? 'bold' : toneOf(header[column] ?? '', cells[row]?.[column] ?? '', Date.now());
    return tone === undefined ? text : style.color[tone](text);
  };
  const rows = [titles, ...texts].map((row, index) => ({ row, index: index - 1 }));
  // The library needs five seconds for 10 000 rows. It is needed for cells of several lines only.
  if (!texts.some((row) => row.some((text) => text.includes('\n')))) {
    const lines = rows.map(({ row, index }) =>
      row
        .map((text, column) => {
          const padding = Math.max(0, (widths[column] ?? 0) - displayWidth(text)) + gap;
          return paint(text, index, column) + ' '.repeat(padding);
        })
        .join(''),
    );
    return trimLines(lines.join('\n'));
  }
  const table = plainTable();
  for (const { row, index } of rows) table.push(row.map((text, column) => paint(text, index, column)));
  return trimLines(table.toString());
}

const gap = 2;

/** Minimum width to which a table column may be narrowed. */
const minColumnWidth = 10;

/** Minimum width of a column that is cut. */
const minCutWidth = 8;

/** Minimum width of a record in two columns. */
const minRecordWidth = 34;

/** Minimum width of the values of a record. */
const minValueWidth = 18;

/** Without borders and without cli-table3's own colors, which would write escapes into pipes. */
function plainTable() {
  const noBorder = Object.fromEntries(
    [
      'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right',
      'left left-mid mid mid-mid right right-mid middle',
    ]
      .join(' ')
      .split(' ')
      .map((name) => [name, '']),
  );
  return new Table({
    chars: noBorder,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
  });
}

function rowWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + gap, 0);
}

/** Narrows columns, the widest first, until the row fits or none can be narrowed further. */
function fitWidths(widths: readonly number[], total: number, minWidths: readonly number[]): number[] {
  const result = [...widths];
  while (rowWidth(result) > total) {
    const candidates = result.map((width, column) => (width > (minWidths[column] ?? 0) ? width : 0));
    const widest = candidates.indexOf(Math.max(...candidates));
    if ((candidates[widest] ?? 0) === 0) break;
    result[widest] = (result[widest] ?? 0) - 1;
  }
  return result;
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s/).map(displayWidth));
}

function longestLine(text: string): number {
  return Math.max(...text.split('\n').map(displayWidth));
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
