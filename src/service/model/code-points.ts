/** Lengths of texts are in code points: what a person takes for a character may be two units of JavaScript's strings. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The beginning of a text. */
export function firstCodePoints(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('');
}
