/** Shorter strings are no secrets, and replacing them would garble ordinary text. */
const SHORTEST_SECRET = 6;

/** A function that replaces the key in any text, also where it stands JSON-escaped or percent-encoded. */
export function createRedactor(key: string): (text: string) => string {
  if (key.length < SHORTEST_SECRET) return (text) => text;
  const forms = [...new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])];
  return (text) => forms.reduce((result, form) => result.replaceAll(form, '[redacted]'), text);
}
