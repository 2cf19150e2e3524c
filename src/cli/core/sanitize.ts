/**
 * Characters that act on a terminal or on the order of text instead of being shown: C0 and C1 controls, DEL, line and
 * paragraph separators, bidirectional marks, zero-width and tag characters, the byte order mark, lone surrogates.
 * Zero-width joiners stay: scripts and emoji need them.
 */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Untrusted text for one line of a terminal: control characters become visible escapes such as `\u001b`. */
export function printable(text: string): string {
  return text.replace(unprintable, escapeCharacter);
}

/** Untrusted text without the characters that act on a terminal or hide text; keeps line feeds and tabs. */
export function withoutControls(text: string): string {
  return text.replace(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : '',
  );
}

/** Untrusted text of several lines, joined into one: `input: a; b`. */
export function printableInOneLine(text: string): string {
  const parts = text.split(/\r?\n/).map((line) => line.trim());
  return printable(parts.filter(Boolean).join('; ').replaceAll(':; ', ': '));
}

/** Untrusted text of several lines: keeps line feeds and tabs, and drops carriage returns before line feeds. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(unprintable, (character) =>
      character === '\n' || character === '\t' ? character : escapeCharacter(character),
    );
}

/**
 * The same JSON value as text that is safe to show in a terminal. `JSON.stringify`, and services, leave DEL, C1 controls
 * and bidirectional overrides unescaped.
 */
export function printableJson(json: string): string {
  return json.replace(unprintable, (character) =>
    character === '\n' || character === '\t' || character === '\r' ? character : escapeCharacter(character),
  );
}
