import path from 'node:path';
import { slugOf } from '../../../contract/slug.ts';
import { readDate, writeDates } from './dates.ts';
import { type FieldIndex, problemOf } from './fields.ts';
import { nameOfFile } from './title.ts';

/** Fields that have the slug, or a path that ends with it. */
export const slugNames = ['slug', 'permalink', 'url', 'path'] as const;

/** The slug that the fields or the name of the file give; empty if none does. `file` is absolute; null for standard input. */
export function findSlug(index: FieldIndex, file: string | null): string {
  for (const { written } of index.filled(slugNames)) {
    const slug = typeof written === 'string' ? slugOf(lastPart(written)) : '';
    if (slug !== '') return slug;
  }
  return file === null ? '' : slugOf(nameOfFile(file));
}

/** Words for ways to make a path, in place of a path. */
const styles = ['pretty', 'date', 'none', 'ordinal', 'weekdate', 'true', 'false'];

/** The last part of a path or URL, without the extension of a page. Empty where a program is still to fill it in. */
function lastPart(text: string): string {
  const [before = ''] = text.trim().split(/[?#]/, 1);
  const parts = (/^[a-z]+:\/\/[^/]*(.*)$/i.exec(before)?.[1] ?? before)
    .split('/')
    .filter((part) => part.trim() !== '');
  if (/^index\.html?$/i.test(parts.at(-1) ?? '')) parts.pop();
  const part = parts.at(-1) ?? '';
  if (/^:|\{\{|\{%|\$\{/.test(part) || styles.includes(part.toLowerCase())) return '';
  const stem = part.replace(/\.(?:html?|php|aspx?|mdx?)$/i, '');
  try {
    return decodeURIComponent(stem);
  } catch {
    return stem;
  }
}

/** Fields that have the date, the first first. */
export const dateNames = [
  ...['publishedAt', 'publishDate', 'publish_date', 'published_at', 'pubDate', 'pub_date', 'date'],
  ...['published', 'publish'],
];

/** How dates are read. */
interface DateRules {
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name, of dates without a zone. */
  readonly timeZone: string;
  /** Whether the date in the field with this name is not to be sent. */
  isHeld(name: string): boolean;
}

/**
 * When a post was or will be published, in epoch milliseconds: its field, else the date that begins the name of its file or
 * folder, else the folders `/2013/05/06/` above it or in its permalink. Null if nothing says so. A date that is held back counts
 * only if it is still to come: the post must not be public before it.
 */
export function findDate(
  index: FieldIndex,
  file: string | null,
  { now, timeZone, isHeld }: DateRules,
): number | null {
  for (const field of index.filled(dateNames)) {
    const { name, written } = field;
    const date = typeof written === 'string' ? readDate(written, timeZone) : null;
    if (date !== null && (date > now || !isHeld(name))) return date;
    // Hugo writes this where there is no date. The last two names may also say whether the post is public.
    const isNone = /^0001-01-01/.test(String(written)) || /^publish(?:ed)?$/i.test(name);
    if (isNone || isHeld(name)) continue;
    throw problemOf(field, 'cannot be read as a date', written, writeDates);
  }
  const name = file === null ? null : dateOfName(file);
  // Jekyll takes no such file; published, it would have the date of today.
  if (name !== null && readDate(name, timeZone) === null && !isHeld('publishedAt'))
    throw problemOf({ name: 'date', line: null }, 'in the file name is not a date', name, writeDates);
  const permalinks = index.filled(slugNames.slice(1)).map(({ written }) => String(written));
  const texts = [...(file === null ? [] : [name, dateOfFolders(file)]), ...permalinks.map(dateOfFolders)];
  for (const text of texts) {
    const date = text === null ? null : readDate(text, timeZone);
    if (date !== null) return date;
  }
  return null;
}

/** Of `2024-01-31-spring.md`, `2024-01-31.md` and `2024-01-31-spring/index.md`. */
function dateOfName(file: string): string | null {
  const { name, dir } = path.parse(file);
  const own = /^(?:_?index|readme)(?:\.|$)/i.test(name) ? path.basename(dir) : name;
  return /^\d{4}-\d{1,2}-\d{1,2}(?=[-_ ]|$)/.exec(own)?.[0] ?? null;
}

/** The date directly above the name, because any folder may be named by a date: that of a backup, for example. */
function dateOfFolders(text: string): string | null {
  const folders =
    /(?:^|[/\\])(\d{4})[/\\](\d{1,2})[/\\](\d{1,2})[/\\][^/\\]+(?:[/\\](?:(?:_?index|readme)[^/\\]*)?)?$/i.exec(
      text,
    );
  return folders === null ? null : folders.slice(1, 4).join('-');
}
