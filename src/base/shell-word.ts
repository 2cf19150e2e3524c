/**
 * A word as it is typed in a shell, quoted only where it has to be. cmd.exe and PowerShell read double quotes, and neither
 * takes a backslash for an escape; no path on Windows contains a double quote. `platform` is `process.platform`.
 */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32')
    return /^[\w./\\:@%+=,~-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`;
  return /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
