/** Lengths of texts are in code points. A character outside the basic plane counts as two in JavaScript's `length`. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The first `count` code points. */
export function firstCodePoints(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('');
}
