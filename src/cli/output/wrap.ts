import { stripVTControlCharacters } from 'node:util';

/** Wraps at spaces, and breaks words that are longer than `width` columns. An indented line stays indented. */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (displayWidth(line) <= width) return [line];
      const [indentation = ''] = /^ */.exec(line) ?? [];
      if (indentation.length > width / 2) return wrapLine(line, width);
      const text = line.slice(indentation.length);
      return wrapLine(text, width - indentation.length).map((part) => indentation + part);
    })
    .join('\n');
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<= )/)) {
    if (displayWidth((current + word).trimEnd()) > width && current !== '') {
      lines.push(current.trimEnd());
      current = '';
    }
    current += word;
    while (displayWidth(current.trimEnd()) > width) {
      const head = firstColumns(current, width);
      lines.push(head);
      current = current.slice(head.length);
    }
  }
  return current.trim() === '' ? lines : [...lines, current.trimEnd()];
}

function firstColumns(text: string, width: number): string {
  let head = '';
  for (const character of text) {
    if (head !== '' && displayWidth(head + character) > width) break;
    head += character;
  }
  return head;
}

/** Terminals show these two columns wide. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const zeroWidth = /\p{Mark}|\u200c|\u200d/u;

/** Columns that a line of text takes in a terminal, without its escape sequences. */
export function displayWidth(text: string): number {
  if (text.includes('\u001b')) return displayWidth(stripVTControlCharacters(text));
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}

/** The text, or its beginning and an ellipsis, in at most `width` columns. */
export function truncateText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const character of text) {
    if (displayWidth(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** The narrowest column that text is wrapped into. */
const minWrapWidth = 20;

/**
 * Cells in columns, one line a row. The last cell is cut at the terminal's width, or continued on the next lines if
 * `isWhole` says so for its row.
 */
export function alignLines(
  rows: readonly (readonly string[])[],
  width: number | null,
  isWhole: (row: number) => boolean = () => false,
): string {
  const last = Math.max(...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))),
  );
  const indent = widths.reduce((sum, columns) => sum + columns + 2, 0);
  const isRoomy = width !== null && width - indent >= minWrapWidth;
  return rows
    .flatMap((row, index) => {
      const padded = widths.map((columns, column) => {
        const cell = row[column] ?? '';
        return cell + ' '.repeat(columns - displayWidth(cell));
      });
      const text = row[last] ?? '';
      const [first = '', ...more] =
        isRoomy && isWhole(index) ? wrapText(text, width - indent).split('\n') : [text];
      const line = [...padded, first].join('  ').trimEnd();
      return [
        width === null ? line : truncateText(line, width),
        ...more.map((next) => ' '.repeat(indent) + next),
      ];
    })
    .join('\n');
}
