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
