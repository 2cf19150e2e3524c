import { firstCodePoints } from './code-points.ts';

/**
 * A short name for addresses made from a text: lower case, words joined by hyphens, accents taken off.
 * `ascii` leaves nothing but a–z and 0–9, as host names need. Empty when nothing of the text can stay.
 */
export function slugFrom(text: string, { max, ascii }: { max: number; ascii: boolean }): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(ascii ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, '-');
  return firstCodePoints(words, max).replace(/^-+|-+$/g, '');
}
