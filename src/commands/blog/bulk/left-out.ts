import { isTypo } from '../../../base/nearest-name.ts';
import { printableInOneLine, shorten } from '../../../cli/core/sanitize.ts';
import type { LeftInText } from '../post/left-in-text.ts';
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

/** What a blog program would do with the text of the posts, and storectl does not. Posts cannot be edited, so it is said before. */
export function noteLeftInText(posts: readonly PostFile[]): string[] {
  const found = (kind: keyof LeftInText) =>
    posts.flatMap(({ leftInText }) => {
      const example = leftInText[kind];
      return example === null ? [] : [shorten(printableInOneLine(example), maxExample)];
    });
  const [templates, images] = [found('template'), found('image')];
  return [
    ...(templates.length === 0
      ? []
      : [`Warning: ${postsWith(templates)} template tags such as ${templates[0]}, which stay in the text.`]),
    ...(images.length === 0
      ? []
      : [`Warning: ${postsWith(images)} images of the blog such as ${images[0]}, which are not uploaded.`]),
  ];
}

/** Characters of a tag or an address that is shown. */
const maxExample = 60;

const postsWith = ({ length }: readonly string[]) => (length === 1 ? '1 post has' : `${length} posts have`);

function meantBy(name: string): string | null {
  return mappedNames.find((known) => isTypo(known.toLowerCase(), name.toLowerCase())) ?? null;
}
