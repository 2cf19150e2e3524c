/** A shorter string is not a secret, and replacing it would garble ordinary text. */
const SHORTEST_SECRET = 6;

/**
 * A function that replaces the API key in a text, however its characters are written there: as they are, escaped in JSON or in JSON
 * within JSON, percent-encoded, or as references of HTML. So no value that is parsed from the text has the key either.
 */
export function createRedactor(key: string): (text: string) => string {
  if (key.length < SHORTEST_SECRET) return (text) => text;
  const form = new RegExp(Array.from(key, waysToWrite).join(''), 'g');
  return (text) => text.replace(form, '[redacted]');
}

/** The ways to write an ASCII character, as a regular expression. */
function waysToWrite(character: string): string {
  const code = character.charCodeAt(0);
  const raw = `\\x${code.toString(16).padStart(2, '0')}`;
  const hex = raw.slice(2).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  // Each level of JSON doubles the backslashes. Without a limit, a text of nothing else would take long.
  const escaped = String.raw`\\{1,8}(?:u00${hex}|${raw})`;
  return `(?:${escaped}|%(?:25)?${hex}|&#(?:0{0,4}${code}|[xX]0{0,4}${hex});|${raw})`;
}
