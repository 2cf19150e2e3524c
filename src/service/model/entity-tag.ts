import { sha256 } from '../../base/sha256.ts';

/** Of a document, as JSON, that follows from what is stored: equal documents have equal tags. */
export function tagOfContent(json: string): string {
  return `"${sha256(json).slice(0, 32)}"`;
}

/** Of something that has a new version after each change. */
export function tagOfVersion(version: string): string {
  return `"${version}"`;
}
