/** JSON with sorted object members, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A replacer function for JSON.stringify would take three times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) result[name] = sorted(Reflect.get(value, name));
  return result;
}
