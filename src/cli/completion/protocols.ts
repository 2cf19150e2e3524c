import { shorten } from '../core/sanitize.ts';
import type { KnownItem } from './ids.ts';
import type { Offer, TypedLine } from './offer.ts';

/**
 * The command line that the script of a shell sends: `--current=TEXT` and the words before it, because PowerShell drops empty
 * arguments. Bash sends `LINE TYPE BREAKS COLUMNS`: COMP_LINE up to the cursor, COMP_TYPE, COMP_WORDBREAKS, the width of the
 * terminal.
 */
export function readRequest(shell: string, [first = '', ...before]: readonly string[]): TypedLine {
  if (shell !== 'bash') return { before, current: first.replace('--current=', '') };
  const words = splitLine(first);
  return { before: words.slice(1, -1), current: words.at(-1) ?? '' };
}

/**
 * The answer: a line for each whole word, with its description after a tab. `:files` alone offers files, and `:more` before the
 * words says that another may follow a comma. Bash gets the words as it lists them.
 */
export function writeAnswer(
  shell: string,
  request: readonly string[],
  { items, kept, mayContinue, files }: Offer,
): string[] {
  if (files) return [':files'];
  const { current } = readRequest(shell, request);
  const words = items
    .map(({ id, description }) => ({ id: kept + id, description }))
    .filter(({ id }) => id.startsWith(current));
  const lines =
    shell === 'bash'
      ? linesOfBash(words, current, request)
      : words.map(({ id, description }) => id + (description && `\t${description}`));
  return mayContinue ? [':more', ...lines] : lines;
}

/** Values of COMP_TYPE with which bash lists the words: only then can they have descriptions. */
const listing = ['33', '63', '64'];

function linesOfBash(
  words: readonly KnownItem[],
  current: string,
  [, type = '', breaks = '', columns = '']: readonly string[],
): string[] {
  // Readline replaces only the text after the last word break.
  const start = Math.max(
    ...['=', ':'].map((mark) => (breaks.includes(mark) ? current.lastIndexOf(mark) : -1)),
  );
  const items = words.map(({ id, description }) => ({ word: id.slice(start + 1), description }));
  const isDescribed = items.length > 1 && listing.includes(type);
  const width = Math.max(...items.map(({ word }) => word.length));
  return items.map(({ word, description }) =>
    isDescribed && description !== ''
      ? shorten(`${word.padEnd(width)}  ${description}`, (Number(columns) || 80) - 1)
      : word,
  );
}

/** The words of a line in bash, without their quotes; the last one, at the cursor, may be empty. */
function splitLine(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (const [, space, single, double, escaped, plain] of line.matchAll(
    /(\s+)|'([^']*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$|\\$)|\\(.?)|([^\s'"\\]+)/gs,
  )) {
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + (single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '');
  }
  return [...words, word ?? ''];
}
