import { normalizeText } from '../../../base/normalize.ts';

/** With fewer choices, the hint that typing filters them is noise. */
export const minToFilter = 6;

/** What a list of choices is searched by. */
interface Searched {
  readonly words: string;
  /** Whether it is offered whatever is typed. */
  readonly isOther: boolean;
}

const foldCase = (text: string) => normalizeText(text, 'NFKC').toLowerCase();

const wordsIn = (text: string) => foldCase(text).split(/\s+/).filter(Boolean);

/** The choices that have each of the typed words somewhere, in any letter case. Digits are text like any other. */
export function matching<Choice extends Searched>(choices: readonly Choice[], typed: string): Choice[] {
  const wanted = wordsIn(typed);
  return choices.filter(({ words, isOther }) => {
    const searched = foldCase(words);
    return isOther || wanted.every((word) => searched.includes(word));
  });
}

/**
 * The place of the choice that was most likely meant: one that begins so, else one with such a word, else the first. -1 if none
 * matches: what leads elsewhere is not meant.
 */
export function bestMatch(choices: readonly Searched[], typed: string): number {
  const start = foldCase(typed.trimStart());
  const texts = choices.map(({ words, isOther }) => (isOther ? '' : foldCase(words)));
  if (start === '') return 0;
  if (choices.every(({ isOther }) => isOther)) return -1;
  const beginning = texts.findIndex((text) => text.startsWith(start));
  if (beginning !== -1) return beginning;
  return Math.max(
    texts.findIndex((text) => text.includes(` ${start}`)),
    0,
  );
}
