import { CsvError, type Info, type Options, parse } from 'csv-parse/sync';
import { invalidInput } from '../../../cli/core/errors.ts';

/** A record of a CSV file. `line` is the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const separators = [',', ';', '\t', '|'] as const;

/** How each file is read. Blanks around a cell are no part of it, so that one may stand before a quote. */
const options = {
  bom: true,
  trim: true,
  relax_column_count: true,
  skip_empty_lines: true,
  // Spreadsheets write rows of separators for cells that were cleared.
  skip_records_with_empty_values: true,
} as const satisfies Options;

/**
 * Parses CSV (RFC 4180). A byte order mark and rows without any value are skipped; a line break in a cell is `\n`. The separator
 * is what a first line `sep=;` says, else the one that gives the first row most of the columns that `countKnown` knows, then
 * most columns. Throws exit 2 with the line of the row if quotes do not match: every later cell would be wrong.
 */
export function parseCsv(
  text: string,
  name: string,
  countKnown: (titles: readonly string[]) => number = () => 0,
): CsvRow[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const said = /^"?sep=(.)"?$/i.exec(lines[0] ?? '')?.[1];
  // The other lines keep their numbers.
  if (said !== undefined) lines[0] = '';
  const delimiter = said ?? findSeparator(lines.join('\n'), countKnown);
  const rows: CsvRow[] = [];
  let lastLine = 0;
  const takeRow = (cells: string[], { lines: line }: Info) => {
    lastLine = line;
    rows.push({ line: line - (cells.join('').match(/\n/g)?.length ?? 0), cells });
    return null;
  };
  try {
    parse(lines.join('\n'), { ...options, delimiter, on_record: takeRow });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = lines.findIndex((content, index) => index >= lastLine && content !== '') + 1;
    throw invalidInput(
      `${name}, line ${line}: the quotes do not match`,
      'quote cells as spreadsheets do: "he said ""no"""',
    );
  }
  return rows;
}

/** The separator depends on the language of the spreadsheet; a title may contain another one. */
function findSeparator(text: string, countKnown: (titles: readonly string[]) => number): string {
  const counted = separators.map((delimiter) => {
    const titles = firstRow(text, delimiter);
    return { delimiter, known: countKnown(titles), columns: titles.length };
  });
  const [best] = counted.toSorted((a, b) => b.known - a.known || b.columns - a.columns);
  return best?.delimiter ?? ',';
}

/** Empty if the row cannot be read with this separator. */
function firstRow(text: string, delimiter: string): readonly string[] {
  try {
    const [row = []] = parse(text, { ...options, delimiter, to: 1 }) as string[][];
    return row;
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}
