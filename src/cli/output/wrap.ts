import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

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

/**
 * What is measured or wrapped at once, in UTF-16 code units: the time that finding letters of several characters takes grows
 * with the square of it, so that 100 KB would take half a minute.
 */
const pieceLength = 256;

const graphemes = new Intl.Segmenter();

function wrapLine(line: string, width: number): string[] {
  const kept = line.replaceAll(/`[^`]+`/g, (command) => command.replaceAll(' ', '\u00a0'));
  const hard = kept === line;
  const columns = Math.max(width, 1);
  const rows: string[] = [];
  let from = 0;
  let open = '';
  do {
    const to = endOfPiece(kept, from);
    const wrapped = wrapAnsi(open + kept.slice(from, to), columns, { hard }).split('\n');
    from = to;
    // The last row goes on, unless it is a word that is not broken.
    const last = wrapped.at(-1) ?? '';
    open = from < kept.length && last.length < pieceLength + 8 * columns ? last : '';
    if (open !== '') wrapped.pop();
    rows.push(...wrapped);
  } while (from < kept.length);
  return rows.map((row) => row.replaceAll('\u00a0', ' '));
}

/** Where a piece from `from` on ends: before a space if there is one, never within a letter. */
function endOfPiece(text: string, from: number): number {
  const end = from + pieceLength;
  if (end >= text.length) return text.length;
  let space = text.lastIndexOf(' ', end);
  while (text[space - 1] === ' ') space -= 1;
  return space > from ? space : endOfLetter(text, from, end);
}

/** The start of the letter before `most`, whose rest may follow; the end of it if all from `from` on is one letter. */
function endOfLetter(text: string, from: number, most: number): number {
  // Not between the two halves of a character.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  const last = graphemes.segment(text.slice(from, end)).containing(end - from - 1);
  return last === undefined || last.index === 0 ? end : from + last.index;
}

/** Columns that a line of text takes in a terminal, without its escape sequences. */
export function displayWidth(text: string): number {
  if (text.length <= pieceLength) return stringWidth(text);
  const shown = stripVTControlCharacters(text);
  let width = 0;
  for (let from = 0; from < shown.length; ) {
    const to =
      from + pieceLength < shown.length ? endOfLetter(shown, from, from + pieceLength) : shown.length;
    width += stringWidth(shown.slice(from, to));
    from = to;
  }
  return width;
}

/** The text with spaces after it, to at least `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** The text, or its beginning and an ellipsis, in at most `width` columns. Colors end where it is cut. */
export function truncateText<Text extends string>(text: Text, width: number): Text {
  if (displayWidth(text) <= width) return text;
  const options = { hard: true, wordWrap: false, trim: false };
  const start = text.slice(0, pieceLength + 8 * width);
  const enough = displayWidth(start) > width ? start : text;
  const [beginning = ''] = width < 2 ? [] : wrapAnsi(enough, width - 1, options).split('\n');
  return `${beginning}…` as Text;
}

/** The text, or an ellipsis and its end, in at most `width` columns: for paths, whose end says which file it is. */
export function truncateStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const ending = text.slice(-(pieceLength + 8 * width));
  const enough = displayWidth(ending) > width ? ending : text;
  const letters = [...graphemes.segment(enough)].map(({ segment }) => segment);
  let columns = 1;
  let from = letters.length;
  while (from > 0 && columns + displayWidth(letters[from - 1] ?? '') <= width) {
    from -= 1;
    columns += displayWidth(letters[from] ?? '');
  }
  return `…${letters.slice(from).join('')}`;
}
