import { usageError } from '../../../cli/core/errors.ts';

/** A record of a CSV file. `line` is the line that it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Parses CSV (RFC 4180): quoted cells, doubled quotes, line breaks within quotes. A byte order mark and empty lines are
 * skipped. The header shows the separator (comma, semicolon or tab), which depends on the language of the spreadsheet.
 * Throws exit 2 with the line if quotes do not match: every later cell would be wrong.
 */
export function parseCsv(text: string, name: string): CsvRow[] {
  const source = text.replace(/^\ufeff/, '');
  const separator = /[,;\t]/.exec(source.split(/\r?\n/, 1)[0] ?? '')?.[0] ?? ',';
  const rows: CsvRow[] = [];
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  let at = 0;
  const fail = (where: number, reason: string) =>
    usageError(`${name}, line ${where}: ${reason}`, 'quote cells as spreadsheets do: "he said ""no"""', {
      code: 'invalid_input',
    });

  const quoted = (): string => {
    let cell = '';
    const begun = line;
    for (at += 1; at < source.length; at += 1) {
      const character = source.charAt(at);
      if (character === '"' && source[at + 1] !== '"') {
        at += 1;
        return cell;
      }
      if (character === '"') at += 1;
      if (character === '\n') line += 1;
      cell += character;
    }
    throw fail(begun, 'missing closing quote');
  };
  const plain = (): string => {
    const from = at;
    while (at < source.length && !`${separator}\r\n`.includes(source.charAt(at))) at += 1;
    const cell = source.slice(from, at);
    if (cell.includes('"')) throw fail(line, 'a quote in a cell that is not quoted');
    return cell;
  };

  while (at < source.length) {
    cells.push(source[at] === '"' ? quoted() : plain());
    if (source[at] === separator) {
      at += 1;
      // A separator at the end of the text is followed by an empty cell.
      if (at < source.length) continue;
      cells.push('');
    } else if (at < source.length && !/[\r\n]/.test(source.charAt(at))) {
      throw fail(line, 'text after a closing quote');
    }
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: start, cells });
    cells = [];
    at += source.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    start = line;
  }
  return rows;
}
