import { sha256 } from '../../base/sha256.ts';

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

/** The last member, after white space as JSON has it: a text with any other would pass here, and could not be parsed. */
const lastMember = /^,[ \t\r\n]*"checksum": ?"([0-9a-f]{64})"[ \t\r\n]*\}[ \t\r\n]*$/;

/** Whether a text is as {@link serializeWithChecksum} wrote it. White space at its end does not count. */
export function checksumState(text: string): ChecksumState {
  const name = text.lastIndexOf('"checksum"');
  if (name === -1) return 'none';
  const end = text.lastIndexOf(',', name);
  const found = lastMember.exec(text.slice(end));
  return found !== null && found[1] === sha256(text.slice(0, end)) ? 'valid' : 'wrong';
}
