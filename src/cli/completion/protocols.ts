import { shorten } from '../core/sanitize.ts';
import type { Offer, TypedLine } from './offer.ts';
import type { ShellName } from './shells.ts';

/**
 * What the script of a shell sends and what it gets back: a line for each word, and before them lines that begin with a
 * colon and say what to do:
 * - `:files` offers files,
 * - `:more` adds no space, because a list may go on,
 * - `:kept TEXT` (zsh) leaves TEXT in front of what is completed,
 * - `:message TEXT` (zsh) shows TEXT.
 */
interface Protocol {
  read(request: readonly string[]): TypedLine;
  write(offer: Offer, request: readonly string[]): string[];
}

export const protocols: Readonly<Record<ShellName, Protocol>> = {
  /** `LINE TYPE BREAKS COLUMNS`: COMP_LINE up to the cursor, COMP_TYPE, COMP_WORDBREAKS, the width of the terminal. */
  bash: {
    read([line = '']) {
      const words = splitLine(line);
      return { before: words.slice(1, -1), current: words.at(-1) ?? '' };
    },
    write: writeForBash,
  },

  /** The words, the one at the cursor last. The answer is for `_describe`, with a colon before each description. */
  zsh: {
    read: lastIsCurrent,
    write({ items, kept, mayContinue, files, message }) {
      const escapeColons = (text: string) => text.replace(/[\\:]/g, '\\$&');
      return [
        ...(kept === '' || files ? [] : [`:kept ${kept}`]),
        ...(files ? [':files'] : []),
        ...(mayContinue ? [':more'] : []),
        ...(items.length === 0 && message !== undefined ? [`:message ${message}`] : []),
        ...items.map(({ id, description }) => escapeColons(id) + (description && `:${description}`)),
      ];
    },
  },

  /** The words, the one at the cursor last. The answer has whole words, each with its description after a tab. */
  fish: {
    read: lastIsCurrent,
    write({ items, kept, files }) {
      if (files) return [':files'];
      return items.map(({ id, description }) => kept + id + (description && `\t${description}`));
    },
  },

  /**
   * `--current=TEXT` and the words before it, because PowerShell drops empty arguments. The answer has the whole word,
   * what to show of it and its description, which must not be empty, with tabs between them.
   */
  powershell: {
    read([current = '', ...before]) {
      return { before, current: current.replace('--current=', '') };
    },
    write(offer, [current = '']) {
      const { kept, files } = offer;
      if (files) return [':files'];
      return narrow(offer, current.replace('--current=', '')).map(
        ({ id, description }) => `${kept}${id}\t${id}\t${description || id}`,
      );
    },
  },
};

function lastIsCurrent(words: readonly string[]): TypedLine {
  return { before: words.slice(0, -1), current: words.at(-1) ?? '' };
}

/** Items that begin with what is typed: bash and PowerShell do not filter them. */
function narrow({ items, kept }: Offer, current: string): Offer['items'] {
  const text = current.slice(kept.length);
  return items.filter(({ id }) => id.startsWith(text));
}

/** Values of COMP_TYPE with which bash lists the words: only then can they have descriptions. */
const listing = ['33', '63', '64'];

function writeForBash(offer: Offer, [line = '', type = '', breaks = '', columns = '']: readonly string[]) {
  const { kept, areIds, mayContinue, files } = offer;
  if (files) return [':files'];
  const current = splitLine(line).at(-1) ?? '';
  // Readline replaces only the text after the last word break.
  const start = Math.max(
    ...['=', ':'].map((mark) => (breaks.includes(mark) ? current.lastIndexOf(mark) : -1)),
  );
  const items = narrow(offer, current).map(({ id, description }) => ({
    word: (kept + id).slice(start + 1),
    description,
  }));
  const isDescribed = areIds && items.length > 1 && listing.includes(type);
  const width = Math.max(...items.map(({ word }) => word.length));
  return [
    ...(mayContinue ? [':more'] : []),
    ...items.map(({ word, description }) =>
      isDescribed ? shorten(`${word.padEnd(width)}  ${description}`, (Number(columns) || 80) - 1) : word,
    ),
  ];
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
