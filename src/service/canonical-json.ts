import { createHash } from 'node:crypto';

/** JSON with the members of every object in one order, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Hex, of the text in UTF-8. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Names the state of a document: equal documents have equal versions. */
export function versionOf(document: unknown): string {
  return sha256(canonicalJson(document)).slice(0, 32);
}

/** Whether a client that has seen some version of a document may still change this one. */
export type Precondition = (version: string) => boolean;
