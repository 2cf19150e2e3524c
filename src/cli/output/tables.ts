import Table from 'cli-table3';
import { isObject } from '../core/json-value.ts';
import { printable, printableLines } from '../core/sanitize.ts';
import { formatValue, type ValueContext } from './format-value.ts';
import { linkCells, linkWrapped } from './hyperlinks.ts';
import type { Style } from './style.ts';
import { columnsOf, wrapText } from './wrap.ts';

/** A row of a record: the dotted path of a field and its value as text. */
export type Row = readonly [label: string, value: string];

/**
 * The fields of a JSON object as rows, nested objects as dotted paths, null and missing ones left out.
 * Lists of objects are left out as well: they are tables of their own.
 */
export function rowsOf(body: unknown, context: ValueContext, prefix = ''): Row[] {
  if (!isObject(body)) return [['value', printable(JSON.stringify(body))]];
  return Object.entries(body).flatMap(([name, value]): Row[] => {
    const path = prefix + printable(name);
    if (value === null || value === undefined) return [];
    if (isObject(value)) return Object.keys(value).length === 0 ? [] : rowsOf(value, context, `${path}.`);
    if (Array.isArray(value) && value.some(isObject)) return [];
    return [[path, formatValue(name, value, context)]];
  });
}

/**
 * Two columns, labels and values, wrapped to the width of the terminal. A value with a word that its column would cut,
 * such as an id, stands below its label where it fits there.
 */
export function renderRecord(rows: readonly Row[], style: Style): string {
  if (style.plain) return rows.map(([label, value]) => `${label}: ${value}`).join('\n');
  const total = style.width === null ? Number.POSITIVE_INFINITY : style.width - 2 * gap - 1;
  // A long label is broken before the value has fewer columns than people can read.
  const labelWidth = Math.min(
    Math.max(0, ...rows.map(([label]) => columnsOf(label))),
    total - narrowestValue,
  );
  const valueWidth = total - labelWidth;
  const below = (style.width ?? Number.POSITIVE_INFINITY) - gap;
  const lines = rows.flatMap(([label, value]) => {
    const wrap = (width: number) => {
      const wrapped = wrapText(value, width);
      return (style.links ? linkWrapped(value, wrapped) : wrapped).split('\n');
    };
    const labels = wrapText(label, labelWidth).split('\n');
    const widest = longestWord(value);
    if (widest > valueWidth && widest <= below) {
      return [...labels.map((text) => style.color.bold(text)), ...wrap(below).map((text) => `  ${text}`)];
    }
    const values = wrap(valueWidth);
    return Array.from({ length: Math.max(labels.length, values.length) }, (_, index) => {
      const text = labels[index] ?? '';
      const padding = ' '.repeat(labelWidth - columnsOf(text) + gap);
      return (text === '' ? '' : style.color.bold(text)) + padding + (values[index] ?? '');
    });
  });
  return trimLines(lines.join('\n'));
}

/**
 * A table with a header, in a terminal that is too narrow for one a record for each row. Cells must be printable already.
 * Text is wrapped to fit, ids and addresses are not: nobody could copy them. Where some columns are `spare`, the most
 * important first, those that do not fit are left out, and told to `leaveOut`.
 */
export function renderTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  style: Style,
  spare: readonly string[] = [],
  leaveOut: (titles: readonly string[]) => void = () => {},
): string {
  const { width, plain } = style;
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => longestLine(row[column] ?? ''))),
  );
  if (!plain && (width === null || rowWidth(widths) <= width)) return drawTable(header, cells, widths, style);
  const asRecords = () =>
    cells
      .map((row) =>
        renderRecord(
          header.map((title, column) => [title, row[column] ?? '']),
          style,
        ),
      )
      .join('\n\n');
  if (plain || width === null) return asRecords();
  const hasText = header.map((_, column) => cells.some((row) => row[column]?.includes(' ')));
  const kept = columnsThatFit(header, widths, spare, width);
  const pick = <Item>(row: readonly Item[]) => row.filter((_, column) => kept[column]);
  const narrowed = fitWidths(pick(widths), width, pick(hasText));
  if (rowWidth(narrowed) > width) return asRecords();
  leaveOut(spare.filter((title) => !kept[header.indexOf(title)]));
  return drawTable(pick(header), cells.map(pick), narrowed, style);
}

function drawTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  style: Style,
): string {
  const table = plainTable();
  table.push(header.map((title) => style.color.bold(title.toUpperCase())));
  for (const row of cells) table.push(row.map((cell, column) => wrapText(cell, widths[column] ?? 0)));
  const text = trimLines(table.toString());
  return style.links ? linkCells(cells.flat(), text) : text;
}

/** For each column whether it is shown: all that are not spare, and of the others those that still fit. */
function columnsThatFit(
  header: readonly string[],
  widths: readonly number[],
  spare: readonly string[],
  total: number,
): readonly boolean[] {
  const kept = header.map((title) => !spare.includes(title));
  for (const title of spare) {
    const column = header.indexOf(title);
    const wider = kept.with(column, true);
    if (rowWidth(widths.filter((_, index) => wider[index])) <= total) kept[column] = true;
  }
  return kept;
}

/** Text of several lines from the service, indented below its title. */
export function renderText(title: string, text: string, style: Style): string {
  const body = printableLines(text)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
  return `${style.color.bold(title)}\n${body}`;
}

const gap = 2;

/** Columns below which a column of a table is not narrowed further. */
const narrowest = 10;

/** The same for the value of a record. */
const narrowestValue = 18;

/** No borders and no colours of cli-table3's own: it would write escapes into pipes. */
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

/** Narrows the widest columns first, of those that may be narrowed, until the row fits. */
function fitWidths(widths: readonly number[], total: number, mayNarrow: readonly boolean[]): number[] {
  const result = [...widths];
  while (rowWidth(result) > total) {
    const candidates = result.map((width, column) => (mayNarrow[column] ? width : 0));
    const widest = candidates.indexOf(Math.max(...candidates));
    if ((candidates[widest] ?? 0) <= narrowest) break;
    result[widest] = (result[widest] ?? 0) - 1;
  }
  return result;
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s/).map(columnsOf));
}

function longestLine(text: string): number {
  return Math.max(...text.split('\n').map(columnsOf));
}

function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
