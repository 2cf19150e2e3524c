import { sha256 } from '../../base/sha256.ts';

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

/** Equal documents have equal versions, as an ETag needs. */
export function versionOf(document: unknown): string {
  return sha256(canonicalJson(document)).slice(0, 32);
}

/** Whether If-Match allows a change of a document in this version. */
export type Precondition = (version: string) => boolean;
