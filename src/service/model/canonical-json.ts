import { hash } from 'node:crypto';

/** JSON with the members of every object in one order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** A function given to JSON.stringify would do it too, and take three times as long. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) ordered[name] = inOrder(Reflect.get(value, name));
  return ordered;
}

/** Hex, of the text in UTF-8. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Names the state of a document: equal documents have equal versions. */
export function versionOf(document: unknown): string {
  return sha256(canonicalJson(document)).slice(0, 32);
}

/** Whether a client that has seen some version of a document may still change this one. */
export type Precondition = (version: string) => boolean;
