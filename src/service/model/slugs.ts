import { firstCodePoints } from './code-points.ts';

/** A name for a host made from a text: a–z and 0–9 without accents, words joined by hyphens. Empty if nothing can be kept. */
export function hostSlugFrom(text: string, max: number): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return firstCodePoints(words, max).replace(/^-+|-+$/g, '');
}
