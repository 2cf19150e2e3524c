/** More marks in a row than a text of any language has (UAX #15, section 13). */
const longRunOfMarks = /\p{M}{31}/u;

/**
 * A text from outside in a Unicode normal form. A text with a long run of marks stays as it is, because sorting the marks takes the square
 * of their number.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC'): string {
  return longRunOfMarks.test(text) ? text : text.normalize(form);
}
