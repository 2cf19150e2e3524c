import { createHash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** How the members of an object are set apart in its text. */
const layouts = {
  file: { before: ',\n  "checksum": "', after: '"\n}\n' },
  line: { before: ',"checksum":"', after: '"}\n' },
} as const;

/** The text of a JSON object, with a checksum over everything before it as its last member. */
export function serializeWithChecksum(value: object, layout: keyof typeof layouts): string {
  const { before, after } = layouts[layout];
  const json = layout === 'file' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
  const content = json.slice(0, -1).trimEnd();
  return `${content}${before}${sha256(content)}${after}`;
}

/** `none` for a text of the first format, which had no checksum. */
export type ChecksumState = 'valid' | 'wrong' | 'none';

/** Whether a text is as {@link serializeWithChecksum} wrote it. White space at its end does not count. */
export function checksumState(text: string): ChecksumState {
  const at = text.lastIndexOf('"checksum"');
  if (at === -1) return 'none';
  const found = /^"checksum": ?"([0-9a-f]{64})"\s*\}\s*$/.exec(text.slice(at));
  const content = text.slice(0, at).replace(/,\s*$/, '');
  return found !== null && found[1] === sha256(content) ? 'valid' : 'wrong';
}
