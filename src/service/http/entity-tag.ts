import { sha256 } from '../../base/sha256.ts';
import type { Precondition } from '../operations/unit-of-work.ts';

/** Of a representation, given as JSON. What is stored determines its text, so equal documents have equal tags. */
export function entityTagOf(text: string): string {
  return `"${sha256(text).slice(0, 32)}"`;
}

/** Reads If-Match (RFC 9110, section 13.1.1): no header, `*`, or a list of strong entity tags. */
export function parseIfMatch(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = new Set(header.split(',').map((tag) => tag.trim()));
  return (document) => tags.has(entityTagOf(JSON.stringify(document)));
}
