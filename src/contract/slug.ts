/** Maximum length of a slug, in code points. */
export const maxSlugLength = 120;

/** A word of a slug: a letter or digit of any script, then letters, digits and the marks that belong to them. */
const word = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*`;

/** What every slug looks like, for JSON Schema, which knows lower case but not NFC and graphemes: {@link isSlug} is exact. */
export const slugPattern = String.raw`^(?!.*\p{Changes_When_Lowercased})${word}(?:-${word})*$`;

const words = new RegExp(word, 'gu');
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The slug of a text, for the client and the service: in NFC and lower case; letters, their marks and digits of every script stay,
 * anything else becomes one hyphen; at most {@link maxSlugLength} code points, never cut inside a grapheme. Empty if nothing can
 * be kept. The slug of a slug is that slug.
 */
export function slugOf(text: string): string {
  const whole = (text.normalize('NFC').toLowerCase().normalize('NFC').match(words) ?? []).join('-');
  if (whole.length <= maxSlugLength) return whole;
  let slug = '';
  let length = 0;
  for (const { segment } of graphemes.segment(whole)) {
    length += [...segment].length;
    if (length > maxSlugLength) break;
    slug += segment;
  }
  return slug.replace(/-$/, '');
}

/** Whether the rule of {@link slugOf} leaves a text as it is. Of a long one nothing is normalized, which could take minutes. */
export function isSlug(text: string): boolean {
  return text !== '' && text.length <= 2 * maxSlugLength && slugOf(text) === text;
}
