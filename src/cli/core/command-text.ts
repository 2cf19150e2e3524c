/** A command of this program as it is typed. `words` are without the program's name. */
export function commandText(words: readonly string[]): string {
  return ['storectl', ...words].join(' ');
}

/** A command in a sentence, without the flags of the command that says it: for those of no store, or of another one. */
export function quoteCommand(...words: readonly string[]): string {
  return `\`${commandText(words)}\``;
}
