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

/** The text, or its beginning and an ellipsis. Counts characters: to measure columns, a library has to be loaded. */
export function shorten(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Escapes these characters but for those in `kept`. */
function escapeUnprintable(text: string, kept = '', instead = escapeCharacter): string {
  return text.replace(unprintable, (character) =>
    kept.includes(character) ? character : instead(character),
  );
}

/** Untrusted text for one line of a terminal: control characters become visible escapes such as `\u001b`. */
export function printable(text: string): string {
  return escapeUnprintable(text);
}

/** Untrusted text without the characters that act on a terminal or hide text; keeps line feeds and tabs. */
export function withoutControls(text: string): string {
  return escapeUnprintable(text, '\n\t', () => '');
}

/** Untrusted text of several lines, joined into one: `input: a; b`. */
export function printableInOneLine(text: string): string {
  const parts = text.split(/\r?\n/).map((line) => line.trim());
  return printable(parts.filter(Boolean).join('; ').replaceAll(':; ', ': '));
}

/** Untrusted text of several lines: keeps line feeds and tabs, and drops carriage returns before line feeds. */
export function printableLines(text: string): string {
  return escapeUnprintable(text.replaceAll('\r\n', '\n'), '\n\t');
}

/**
 * The same JSON value as text that is safe to show in a terminal. `JSON.stringify`, and services, leave DEL, C1 controls
 * and bidirectional overrides unescaped.
 */
export function printableJson(json: string): string {
  return escapeUnprintable(json, '\n\t\r');
}

/**
 * Replaces the last part of each webhook address by `***`: it is the secret that allows posting there. The text may be
 * JSON, where slashes may be escaped by a backslash.
 */
export function maskWebhooksIn(text: string): string {
  return text.replace(/(\\*\/webhooks\\*\/\d+\\*\/)[\w-]+/gi, '$1***');
}

/** A copy of a JSON value, such as a request or a history record, with every webhook address masked. */
export function maskWebhooks<Value>(value: Value): Value {
  return JSON.parse(maskWebhooksIn(JSON.stringify(value)));
}
