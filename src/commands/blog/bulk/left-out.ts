import { isTypo } from '../../../base/nearest-name.ts';
import { mappedNames } from '../post/map-fields.ts';
import type { PostFile } from './post-files.ts';

/** Names that are listed before the rest is only counted. */
const maxNames = 12;

/**
 * `Left out: layout (102 files), author (102). --send FIELD sends one as it is.`, or null. A name that looks mistyped comes first,
 * with what was probably meant.
 */
export function describeLeftOut(posts: readonly PostFile[]): string | null {
  const counts = new Map<string, number>();
  for (const { leftOut } of posts)
    for (const name of new Set(leftOut)) counts.set(name, (counts.get(name) ?? 0) + 1);
  if (counts.size === 0) return null;
  const names = [...counts].map(([name, count]) => ({ name, count, meant: meantBy(name) }));
  names.sort(
    (one, other) => Number(other.meant !== null) - Number(one.meant !== null) || other.count - one.count,
  );
  const shown = names.slice(0, maxNames).map(({ name, count, meant }, index) => {
    const files = index === 0 ? ` ${count === 1 ? 'file' : 'files'}` : '';
    return `${name} (${count}${files}${meant === null ? '' : `; did you mean ${meant}?`})`;
  });
  const more = names.length - shown.length;
  const rest = more === 0 ? '' : ` and ${more} more ${more === 1 ? 'field' : 'fields'}`;
  return `Left out: ${shown.join(', ')}${rest}. --send FIELD sends one as it is.`;
}

function meantBy(name: string): string | null {
  return mappedNames.find((known) => isTypo(known.toLowerCase(), name.toLowerCase())) ?? null;
}
