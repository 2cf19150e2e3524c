import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { drawn, type Printable, printableInOneLine } from '../core/sanitize.ts';

/**
 * Wraps at spaces, and breaks words that are longer than `width` columns. A command in backticks is copied, so it stays whole,
 * and the terminal wraps it. An indented line stays indented, and what follows a flag and two spaces stays in its column.
 */
export function wrapText<Text extends string>(text: Text, width: number): Text {
  const lines = text.split('\n').flatMap((line) => {
    if (displayWidth(line) <= width) return [line];
    const [indentation = ''] = /^ */.exec(line) ?? [];
    const [column = ''] = /^ +(?:--|<)\S+(?: \S+)? {2,}/.exec(line) ?? [];
    const start = column.length > width / 2 ? indentation : column || indentation;
    if (start.length > width / 2) return wrapLine(line.trimStart(), width);
    const parts = wrapLine(line.slice(start.length), width - start.length);
    return parts.map((part, index) => (index === 0 ? start : ' '.repeat(start.length)) + part);
  });
  // What was printable is so in several lines, too.
  return lines.join('\n') as Text;
}

function wrapLine(line: string, width: number): string[] {
  const kept = line.replaceAll(/`[^`]+`/g, (command) => command.replaceAll(' ', '\u00a0'));
  const wrapped = wrapAnsi(kept, Math.max(width, 1), { hard: kept === line });
  return wrapped.replaceAll('\u00a0', ' ').split('\n');
}

/** Columns that a line of text takes in a terminal, without its escape sequences. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The text with spaces after it, to at least `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** The text, or its beginning and an ellipsis, in at most `width` columns. Colors end where it is cut. */
export function truncateText<Text extends string>(text: Text, width: number): Text {
  if (displayWidth(text) <= width) return text;
  const options = { hard: true, wordWrap: false, trim: false };
  const [beginning = ''] = width < 2 ? [] : wrapAnsi(text, width - 1, options).split('\n');
  return `${beginning}…` as Text;
}

/** Cells in columns, one line a row, cut at the terminal's width. */
export function alignLines(cells: readonly (readonly string[])[], width: number | null): Printable {
  const rows = cells.map((row) => row.map(printableInOneLine));
  const last = Math.max(...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const lines = rows.map((row) => {
    const padded = widths.map((columns, column) => padText(row[column] ?? '', columns));
    const line = [...padded, row[last] ?? ''].join('  ').trimEnd();
    return width === null ? line : truncateText(line, width);
  });
  return drawn(lines.join('\n'));
}
