import { usageError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';

/** Minimum length of an abbreviated id, in characters. */
export const minIdLength = 8;

/** The shortest beginning of `id` that none of the known ids shares. */
export function shortenId(id: string, known: readonly string[]): string {
  const others = known.filter((other) => other !== id && other.startsWith(id.slice(0, minIdLength)));
  for (let length = minIdLength; length < id.length; length += 1) {
    const start = id.slice(0, length);
    if (!start.endsWith('-') && !others.some((other) => other.startsWith(start))) return start;
  }
  return id;
}

/** The known ids that `text` may stand for: the id itself, or all that begin with it. */
export function idsBeginningWith(text: string, known: readonly string[]): string[] {
  if (known.includes(text)) return [text];
  return text.length < minIdLength ? [] : known.filter((id) => id.startsWith(text));
}

/**
 * The known id that begins with `text`, or `text` if none does: it may be the id of something made elsewhere. Throws
 * exit 2 if several do.
 */
export function completeId(text: string, known: readonly string[]): string {
  const found = idsBeginningWith(text, known);
  if (found.length > 1) {
    throw usageError(
      `"${printable(text)}" matches ${found.length} ids, such as ${found.slice(0, 2).map(printable).join(' and ')}`,
      'use more characters of the id; nothing was sent',
      { code: 'ambiguous_id' },
    );
  }
  return found[0] ?? text;
}
