import { stripVTControlCharacters } from 'node:util';

/**
 * Wraps at spaces, and breaks words that are longer than `width` columns. An indented line stays
 * indented, and what follows a flag and two spaces stays in its column.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (displayWidth(line) <= width) return [line];
      const [indentation = ''] = /^ */.exec(line) ?? [];
      const [column = ''] = /^ +(?:--|<)\S+(?: \S+)? {2,}/.exec(line) ?? [];
      const start = column.length > width / 2 ? indentation : column || indentation;
      if (start.length > width / 2) return wrapLine(line, width);
      const parts = wrapLine(line.slice(start.length), width - start.length);
      return parts.map((part, index) => (index === 0 ? start : ' '.repeat(start.length)) + part);
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
  for (const part of printedParts(text)) {
    if (head !== '' && displayWidth(head + part) > width) break;
    head += part;
  }
  return head;
}

/** The start or end of a link, a color, or one character. */
const printedPart = /\p{Cc}\].*?\p{Cc}\\?|\p{Cc}\[[0-9;?]*[A-Za-z]|./gsu;

/** The text in parts that must not be broken: characters and whole escape sequences. */
function printedParts(text: string): string[] {
  return text.match(printedPart) ?? [];
}

/** Terminals show these two columns wide. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const zeroWidth = /\p{Mark}|\u200c|\u200d/u;

/** Columns that a line of text takes in a terminal, without its escape sequences. */
export function displayWidth(text: string): number {
  const visible = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (/^[\x20-\x7e]*$/.test(visible)) return visible.length;
  let columns = 0;
  for (const character of visible) columns += zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}

/** The text, or its beginning and an ellipsis, in at most `width` columns. */
export function truncateText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const parts = printedParts(text);
  let kept = '';
  let next = 0;
  for (; displayWidth(kept + (parts[next] ?? '')) < width; next += 1) kept += parts[next];
  // Colors and links that began before the cut end after it.
  const ends = parts.slice(next).filter((part) => part.length > 2);
  return `${kept}…${ends.join('')}`;
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
