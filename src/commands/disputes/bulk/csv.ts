import { CsvError, type Info, parse } from 'csv-parse/sync';
import { invalidInput } from '../../../cli/core/errors.ts';

/** A record of a CSV file. `line` is the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Parses CSV (RFC 4180). A byte order mark and empty lines are skipped; a line break in a cell is `\n`. Throws exit 2 with the
 * line of the row if quotes do not match: every later cell would be wrong.
 */
export function parseCsv(text: string, name: string): CsvRow[] {
  const lines = text.split(/\r\n|\r|\n/);
  const rows: CsvRow[] = [];
  let lastLine = 0;
  const takeRow = (cells: string[], { lines: line }: Info) => {
    lastLine = line;
    rows.push({ line: line - (cells.join('').match(/\n/g)?.length ?? 0), cells });
    return null;
  };
  try {
    parse(lines.join('\n'), {
      // It depends on the language of the spreadsheet; the header shows it.
      delimiter: /[,;\t]/.exec(text.split(/\r?\n/, 1)[0] ?? '')?.[0] ?? ',',
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: takeRow,
    });
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
