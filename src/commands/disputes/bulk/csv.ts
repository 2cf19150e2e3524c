import { CsvError, type Info, parse } from 'csv-parse/sync';
import { invalidInput } from '../../../cli/core/errors.ts';

/** A record of a CSV file. `line` is the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Parses CSV (RFC 4180). A byte order mark and empty lines are skipped. Throws exit 2 with the line if quotes do not match: every
 * later cell would be wrong.
 */
export function parseCsv(text: string, name: string): CsvRow[] {
  const delimiter = separatorOf(text);
  const rows: CsvRow[] = [];
  let lastLine = 0;
  // csv-parse counts \r\n in a quoted cell as two lines.
  let surplus = 0;
  const takeRow = (cells: string[], { lines }: Info) => {
    const content = cells.join('');
    surplus += countMatches(content, /\r\n/g);
    lastLine = lines - surplus;
    rows.push({ line: lastLine - countMatches(content, /\r\n|\r|\n/g), cells });
    return null;
  };
  try {
    parse(text, {
      delimiter,
      bom: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: takeRow,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const noticed = Number(error.lines) - surplus;
    const lines = text.split(/\r\n|\r|\n/);
    const begun = lines.findIndex((line, index) => index >= lastLine && line !== '') + 1;
    // A quote that is not closed is noticed on a later line: at the next quote, or at the end.
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED' || noticed > begun;
    const line = isOpen ? begun : noticed;
    throw invalidInput(
      `${name}, line ${line}: ${isOpen ? 'missing closing quote' : (problems[error.code] ?? error.message)}`,
      'quote cells as spreadsheets do: "he said ""no"""',
    );
  }
  return rows;
}

/** Comma, semicolon or tab, depending on the language of the spreadsheet; the header shows it. */
export function separatorOf(text: string): string {
  return /[,;\t]/.exec(text.split(/\r?\n/, 1)[0] ?? '')?.[0] ?? ',';
}

const problems: Readonly<Partial<Record<string, string>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quote',
  INVALID_OPENING_QUOTE: 'a quote in a cell that is not quoted',
};

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
