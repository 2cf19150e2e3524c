import { hash } from 'node:crypto';

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

/** In hex, of the text in UTF-8. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Equal documents have equal versions, as an ETag needs. */
export function versionOf(document: unknown): string {
  return sha256(canonicalJson(document)).slice(0, 32);
}

/** Whether If-Match allows a change of a document in this version. */
export type Precondition = (version: string) => boolean;
