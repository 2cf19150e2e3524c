import { firstCodePoints } from './code-points.ts';

/**
 * A slug made from a text: lower case, words joined by hyphens, without accents. With `ascii` only a–z and 0–9 remain, as
 * host names need. Empty if no character can be kept.
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
