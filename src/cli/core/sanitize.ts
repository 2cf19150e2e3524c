declare const isPrintable: unique symbol;

/** Text that may be printed as it is: what came from outside is escaped in it. Made here, and by what draws. */
export type Printable = string & { readonly [isPrintable]: true };

/** A text that stands in the source, and not one that was put together while the program runs. */
// An object needs no property for a pattern such as `${string}`, but one for each literal.
export type Literal<Text extends string> = Record<never, never> extends Record<Text, 1> ? never : Text;

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
export function printable(text: string): Printable {
  return escapeUnprintable(text) as Printable;
}

/**
 * What was drawn from texts that are printable, each of them, such as a table: colors and columns are put in around them.
 * For the functions that draw; a command prints what they return, or a phrase.
 */
export function drawn(text: string): Printable {
  return text as Printable;
}

/** A line of text from a template, whose values come from anywhere and are escaped. */
export function line(texts: TemplateStringsArray, ...values: readonly (string | number)[]): Printable {
  return drawn(texts.map((text, index) => text + printable(String(values[index] ?? ''))).join(''));
}

/** What the user typed, below a heading. */
export function yourText(text: string): Printable {
  return joined([line`\nYour text:`, printableLines(text)], '\n\n');
}

/** A text with an empty line before and after it. */
export function apart(text: Printable): Printable {
  return joined([line``, text, line``], '\n');
}

/** Printable texts, with a separator between them. */
export function joined(
  texts: readonly Printable[],
  separator: '' | ' ' | '  ' | ', ' | '\n' | '\n\n',
): Printable {
  return drawn(texts.join(separator));
}

/** Untrusted text without the characters that act on a terminal or hide text; keeps line feeds and tabs. */
export function withoutControls(text: string): string {
  return escapeUnprintable(text, '\n\t', () => '');
}

/** Untrusted text of several lines, joined into one: `input: a; b`. */
export function printableInOneLine(text: string): Printable {
  const parts = text.split(/\r?\n/).map((line) => line.trim());
  return printable(parts.filter(Boolean).join('; ').replaceAll(':; ', ': '));
}

/** Untrusted text of several lines: keeps line feeds and tabs, and drops carriage returns before line feeds. */
export function printableLines(text: string): Printable {
  return escapeUnprintable(text.replaceAll('\r\n', '\n'), '\n\t') as Printable;
}

/**
 * The same JSON value as text that is safe to show in a terminal. `JSON.stringify`, and services, leave DEL, C1 controls
 * and bidirectional overrides unescaped.
 */
export function printableJson(json: string): Printable {
  return escapeUnprintable(json, '\n\t\r') as Printable;
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
