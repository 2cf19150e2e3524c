/** A shorter string is not a secret, and replacing it would garble ordinary text. */
const SHORTEST_SECRET = 6;

/** A function that replaces the API key in a text, also if the key is JSON-escaped or percent-encoded there. */
export function createRedactor(key: string): (text: string) => string {
  if (key.length < SHORTEST_SECRET) return (text) => text;
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  return (text) => forms.reduce((result, form) => result.replaceAll(form, '[redacted]'), text);
}
