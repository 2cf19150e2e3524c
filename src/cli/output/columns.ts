import { drawn, type Printable, printableInOneLine } from '../core/sanitize.ts';
import { displayWidth, padText, truncateStart, truncateText, wrapText } from './wrap.ts';

/**
 * How a column is made to fit: which end of its cells goes. `or below` is one that must be seen: where it would be too narrow, it
 * stands on a line below.
 */
export type Fit = 'cut start' | 'cut end' | 'cut end or below';

interface Column {
  readonly cells: readonly string[];
  readonly width: number;
  readonly fit: Fit | undefined;
}

/** Minimum width of a column that is cut, if there are others to drop. */
const minCutWidth = 16;

/** Before what stands below a row. */
const belowRow = ' '.repeat(6);

/** A text below a row, in at most `width` columns. */
export function alignBelow(text: string, width: number | null): Printable {
  const shown = printableInOneLine(text);
  return drawn(
    belowRow + (width === null ? shown : truncateText(shown, Math.max(1, width - belowRow.length))),
  );
}

/**
 * Rows of cells in columns, in at most `width` columns: the header first. The widest columns are cut first, all to the same
 * width; if that leaves too little, the last of those that may be cut goes.
 */
export function alignRows(
  cells: readonly (readonly string[])[],
  fits: readonly (Fit | undefined)[],
  width: number | null,
): readonly Printable[] {
  const rows = cells.map((row) => row.map(printableInOneLine));
  const columns = (rows[0] ?? []).map((_, index): Column => {
    const texts = rows.map((row) => row[index] ?? '');
    const widest = texts.reduce((max, text) => Math.max(max, displayWidth(text)), 0);
    return { cells: texts, width: widest, fit: fits[index] };
  });
  const fitted = width === null ? columns : fitColumns(columns, width);
  const kept = new Set(fitted.map(({ cells: own }) => own));
  const below = columns.filter(({ cells: own, fit }) => fit === 'cut end or below' && !kept.has(own));
  return rows.map((_, row) => {
    const line = fitted
      .map((column) => padText(cutCell(column, row), column.width))
      .join(gap)
      .trimEnd();
    const more = row === 0 ? [] : below.map(({ cells: own }) => alignBelow(own[row] ?? '', width));
    return drawn([width === null ? line : truncateText(line, width), ...more].join('\n'));
  });
}

function cutCell({ cells, width, fit }: Column, row: number): string {
  const cell = cells[row] ?? '';
  return fit === 'cut start' ? truncateStart(cell, width) : truncateText(cell, width);
}

function fitColumns(columns: readonly Column[], width: number): readonly Column[] {
  const excess = (some: readonly Column[]) =>
    some.reduce((sum, column) => sum + column.width + 2, -2) - width;
  if (excess(columns) <= 0) return columns;
  const mayBeCut = columns.filter(({ fit }) => fit !== undefined);
  const narrowed = (max: number) =>
    columns.map((column) =>
      mayBeCut.includes(column) ? { ...column, width: Math.min(column.width, max) } : column,
    );
  let max = Math.max(0, ...mayBeCut.map((column) => column.width));
  while (max > minCutWidth && excess(narrowed(max)) > 0) max -= 1;
  if (excess(narrowed(max)) <= 0) return narrowed(max);
  const last = mayBeCut.at(-1);
  return mayBeCut.length > 1 || last?.fit === 'cut end or below'
    ? fitColumns(
        columns.filter((column) => column !== last),
        width,
      )
    : narrowed(max);
}

/** Between columns. */
export const gap = '  ';

/** Minimum width of the name of an item that is cut. */
const minNameWidth = 16;

/**
 * Puts results into the columns of a terminal: the name of one that is done loses its beginning if the line would be too long,
 * because the end of a path says which file it is. Where that is too little, and where there is a reason, the rest stands below
 * the name.
 */
export function startLayout(width: number, indentation: number, names: () => readonly string[]) {
  let nameWidth: number | null = null;
  let maxName = width;
  const below = ' '.repeat(indentation);
  const wrapped = (text: string) =>
    wrapText(text, Math.max(1, width - indentation)).replaceAll('\n', `\n${below}`);
  return (start: Printable, [name = drawn(''), ...more]: readonly Printable[], isCut: boolean): Printable => {
    const rest = more.join(gap);
    const line = [start, name, ...more].join(gap);
    if (!isCut) {
      const lines = [`${start}${gap}${wrapped(name)}`, ...(rest === '' ? [] : [`${below}${wrapped(rest)}`])];
      return drawn(displayWidth(line) <= width ? line : lines.join('\n'));
    }
    nameWidth ??= names().reduce((widest, one) => Math.max(widest, displayWidth(one)), 0);
    const room = width - indentation - (rest === '' ? 0 : gap.length + displayWidth(rest));
    if (room < Math.min(minNameWidth, displayWidth(name))) {
      const cut = truncateStart(name, Math.max(1, width - indentation));
      return drawn(`${start}${gap}${cut}\n${below}${wrapped(rest)}`);
    }
    // So that the columns of all lines stand below each other.
    maxName = Math.min(maxName, Math.max(room, minNameWidth));
    const columns = Math.min(nameWidth, maxName);
    return drawn([start, padText(truncateStart(name, columns), columns), ...more].join(gap).trimEnd());
  };
}
