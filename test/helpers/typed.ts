/** The words of a command line, split at spaces. A text in single quotes is one word. */
export function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

/**
 * The same, and a value is one word, whatever is in it:
 * typed`blog create --title 'Spring sale' --content-file ${file}`.
 */
export function typed(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string[] {
  const line = texts.reduce((before, text, index) => `${before}\0${index - 1}\0${text}`);
  const insert = (_: string, index: string) => String(values[Number(index)]);
  return wordsOf(line).map((word) => word.replace(/\0(\d+)\0/g, insert));
}
