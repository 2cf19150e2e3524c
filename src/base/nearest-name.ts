const lastName = (name: string) => name.split('.').at(-1) ?? name;

/** Sorts the names by similarity to `wanted`. The same last name in another object counts as very similar. */
export function nearestFirst<Name extends string>(names: readonly Name[], wanted: string): Name[] {
  const distance = (name: string) =>
    Math.min(editDistance(name, wanted), editDistance(lastName(name), lastName(wanted)) + 0.5);
  return [...new Set(names)].sort(
    (one, other) => distance(one) - distance(other) || one.localeCompare(other, 'en'),
  );
}

/**
 * The name that was probably meant, or null: at most three characters differ, and fewer than half, or the order alone. It
 * is enough if that holds for the last names.
 */
export function nearName(names: readonly string[], wanted: string): string | null {
  const [nearest] = nearestFirst(names, wanted);
  if (nearest === undefined) return null;
  return isNear(nearest, wanted) || isNear(lastName(nearest), lastName(wanted)) ? nearest : null;
}

function isNear(one: string, other: string): boolean {
  const distance = editDistance(one, other);
  const letters = (name: string) => [...name.toLowerCase()].sort().join('');
  return (
    (distance <= 3 && distance * 2 < Math.max(one.length, other.length)) || letters(one) === letters(other)
  );
}

/**
 * Whether `typed` is `name` with one letter too many, too few or wrong, or with two neighbours swapped. Names of four letters and
 * fewer have too many neighbours that are words of their own, so only a swap counts there.
 */
export function isTypo(name: string, typed: string): boolean {
  if (name === typed || Math.abs(name.length - typed.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === typed[start]) start += 1;
  const isSwapped = name[start] === typed[start + 1] && name[start + 1] === typed[start];
  if (name.length === typed.length && isSwapped && name.slice(start + 2) === typed.slice(start + 2))
    return true;
  if (Math.min(name.length, typed.length) < 5) return false;
  const [long, short] = name.length > typed.length ? [name, typed] : [typed, name];
  return long.slice(start + 1) === short.slice(long.length === short.length ? start + 1 : start);
}

/** Levenshtein distance without case: how many characters have to be added, removed or replaced. */
function editDistance(one: string, other: string): number {
  const [from, to] = [one.toLowerCase(), other.toLowerCase()];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1];
    for (let index = 0; index < to.length; index += 1) {
      const replaced = (row[index] ?? 0) + (character === to[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
