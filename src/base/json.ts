/** The value of JSON text, or undefined if there is no text or it is not JSON. */
export function parseJson(text: string | null | undefined): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of JSON text, or the text itself if it is not JSON. */
export function jsonOrText(text: string | null): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** True for what JSON calls an object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
