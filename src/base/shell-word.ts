/** Letters of any language, and what no shell reads as more than itself. */
const plain = String.raw`[\p{L}\p{M}\p{N}_./\\:@%+=~-]`;
/** `~/x`, zsh's `=x` and PowerShell's `@x` mean something else at the beginning of a word. */
const plainWord = new RegExp(`^(?![~=@%])${plain}+$`, 'u');

/**
 * A word as it is typed in a shell, quoted only where it has to be. cmd.exe and PowerShell read double quotes, and neither
 * takes a backslash for an escape; but a program does before a double quote, so those are doubled. cmd.exe replaces the
 * `%PATH%` of a name whatever the quotes. `platform` is `process.platform`.
 */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32') {
    if (plainWord.test(word)) return word;
    return `"${word.replaceAll(/(\\*)(?:(")|$)/g, (_, slashes, quote = '') => slashes + slashes + quote + quote)}"`;
  }
  return plainWord.test(word) && !word.includes('\\') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
