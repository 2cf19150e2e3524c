import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import { canonicalId, uuidPattern } from '../../contract/operation.ts';

/** Minimum length of an abbreviated id, in characters. */
export const minIdLength = 8;

/**
 * The id that `text` stands for: a whole id, or the only known one that begins with it. Whole is a UUID if the ids of this
 * kind are UUIDs, else any text that is long enough. Or why it stands for none.
 */
export function resolveId(
  text: string,
  kind: ObjectKind,
  known: readonly string[],
): { readonly id: string } | { readonly problem: 'too short' | 'ambiguous' | 'unknown' } {
  const [id, ...others] = uuidPattern.test(text) ? [canonicalId(text)] : idsBeginningWith(text, known);
  if (others.length > 0) return { problem: 'ambiguous' };
  if (id !== undefined) return { id };
  if (text.length < minIdLength) return { problem: 'too short' };
  return kindOf(kind).hasUuid ? { problem: 'unknown' } : { id: text };
}

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
