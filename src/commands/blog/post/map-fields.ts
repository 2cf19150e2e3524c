import { parseTime, timeExamples } from '../../../cli/input/parse-time.ts';
import { createBlogPost } from '../../../contract/operations/blog.ts';
import { slugOf } from '../../../contract/slug.ts';
import { readDate } from './dates.ts';
import type { Field } from './fields.ts';
import { type FieldIndex, indexFields, type ProblemInFile, plainName, problemOf } from './fields.ts';
import { readVisibility, visibilityNames } from './is-public.ts';
import { dateNames, findDate, findSlug, slugNames } from './slug-and-date.ts';
import { readTags } from './tags.ts';

type Body = Readonly<Record<string, unknown>>;

const contractNames: readonly string[] = Object.keys(createBlogPost.body.shape);

/** The fields of a request that files can have, and the names that blog programs have for them, the first one first. */
const sources: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(contractNames.filter((name) => name !== 'contentMd').map((name) => [name, [name]])),
  slug: slugNames,
  excerpt: ['excerpt', 'description', 'summary'],
  publishedAt: dateNames,
  scheduledAt: ['scheduledAt', 'scheduled_at'],
  tags: ['tags', 'tag', 'categories', 'category', 'taxonomies.tags', 'taxonomies.categories'],
  metaTitle: ['metaTitle', 'meta_title'],
  metaDescription: ['metaDescription', 'meta_description'],
};

/** All names by which a field is known. */
export const mappedNames: readonly string[] = [...new Set(Object.values(sources).flat())];

/** Fields that can be held back: not the title, without which there is no post. */
export const heldNames = mappedNames.filter((name) => name !== 'title');

const knownNames = new Set([...mappedNames, ...visibilityNames, 'taxonomies', 'contentMd'].map(plainName));

/** How the fields of files become requests. */
export interface Mapping {
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name, of dates without a zone. */
  readonly timeZone: string;
  readonly slugPrefix: string;
  /** Fields that are sent as they are; `unknown` are all that have no meaning here. */
  readonly send: readonly string[] | 'unknown';
  /** Fields of the request, and names of fields, that are not sent. */
  readonly leaveOut: readonly string[];
  /** Fields that flags set for all files. */
  readonly common: Body;
}

/** What the fields of a file become. */
export interface MappedFields {
  /** Without title and content. */
  readonly body: Body;
  /** The names of the fields that stay behind, as the file writes them. */
  readonly leftOut: readonly string[];
  /** The slug that identifies the post, also where it is not sent; empty if there is none. */
  readonly slug: string;
  /** It has a date, which drafts do not have. */
  readonly losesDate: boolean;
  /** What in the file makes it a draft, where it is not called one; or null. */
  readonly privateBy: string | null;
  /** What only a post that was not sent before must not have. */
  readonly problem: ProblemInFile | null;
}

function isSentAsIs({ name }: Field, { send }: Mapping): boolean {
  return send === 'unknown' ? !knownNames.has(plainName(name)) : isIn(send, name);
}

const isIn = (names: readonly string[], name: string) =>
  names.some((one) => plainName(one) === plainName(name));

/**
 * Maps the fields of a file: those of the contract, then those that large blog programs use; others stay behind. `file` is
 * absolute, null for standard input. Throws a ProblemInFile.
 */
export function mapFields(whole: FieldIndex, file: string | null, mapping: Mapping): MappedFields {
  const { leaveOut, common } = mapping;
  const fields = whole.all;
  const content = whole.filled(['contentMd'])[0];
  if (content !== undefined)
    throw problemOf(content, 'cannot be in the front matter: the content is the text below it');
  const visibility = readVisibility(whole, file, mapping);
  const isDateHeld = isIn(leaveOut, 'publishedAt') || 'publishedAt' in common;
  const date = findDate(whole, file, {
    ...mapping,
    isHeld: (name) => isDateHeld || isIn(leaveOut, name),
  });
  const sent = fields.filter((field) => isSentAsIs(field, mapping));
  const index = sent.length === 0 ? whole : indexFields(fields.filter((field) => !sent.includes(field)));
  const namesOf = (target: string) =>
    target in common || isIn(leaveOut, target)
      ? []
      : (sources[target] ?? []).filter((name) => leaveOut.length === 0 || !isIn(leaveOut, name));
  const slug = slugFor(whole, file, mapping);
  const body: Record<string, unknown> = {
    ...readTexts(index, namesOf),
    tags: readTags(index, namesOf('tags')),
  };
  const products = namesOf('featuredProductIds').flatMap((name) => index.filled([name]))[0];
  if (products !== undefined) body.featuredProductIds = listOf(products);
  if (slug !== '' && !isIn(leaveOut, 'slug')) body.slug = slug;
  for (const { name, value } of sent) if (value !== null) body[name] = value;
  Object.assign(body, common);
  const times = decideTimes(index, { ...mapping, ...visibility, date });
  for (const [name, value] of Object.entries(times.set)) {
    if (value === undefined) delete body[name];
    else if (!isIn(leaveOut, name) || name === 'status') body[name] = value;
  }
  for (const name of Object.keys(body)) if (body[name] === undefined) delete body[name];
  return {
    body,
    slug,
    leftOut: leftOutOf(fields, mapping),
    losesDate: times.losesDate,
    privateBy: visibility.privateBy,
    problem: times.problem,
  };
}

/** The slug of a file; empty if there is none. It never depends on other files. */
export function slugFor(index: FieldIndex, file: string | null, { common, slugPrefix }: Mapping): string {
  if (typeof common.slug === 'string') return common.slug;
  const slug = findSlug(index, file);
  return slug && slugOf(`${slugPrefix}${slug}`);
}

/** Texts that the service takes in one line only. YAML folds what is written over several. */
const lines = ['title', 'metaTitle'];

const texts = ['title', 'excerpt', 'coverImageId', 'metaTitle', 'metaDescription'];

function readTexts(
  index: FieldIndex,
  namesOf: (target: string) => readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    texts.map((target) => {
      // Some programs write `summary: false`.
      const [field] = index
        .filled(namesOf(target))
        .filter(({ value }) => target === 'title' || typeof value !== 'boolean');
      if (field !== undefined && typeof field.written !== 'string') throw problemOf(field, 'must be text');
      const text = typeof field?.written === 'string' ? field.written.trim() : undefined;
      return [target, text !== undefined && lines.includes(target) ? inOneLine(text) : text];
    }),
  );
}

function inOneLine(text: string): string {
  return text.replace(/[ \t]*[\r\n\t\u2028\u2029]+[ \t]*/g, ' ');
}

function listOf({ written, ...field }: Field): unknown {
  if (typeof written === 'string') return written.split(',').map((item) => item.trim());
  if (!Array.isArray(written)) throw problemOf(field, 'must be a list of UUIDs');
  return written;
}

interface Times {
  readonly date: number | null;
  readonly isPrivate: boolean;
  readonly status: string | null;
}

/** Status and times: a draft has no date, and a post whose date is still to come is scheduled. Undefined removes a field. */
function decideTimes(
  index: FieldIndex,
  { common, leaveOut, now, timeZone, date, isPrivate, ...own }: Mapping & Times,
): { set: Record<string, unknown>; losesDate: boolean; problem: ProblemInFile | null } {
  const planned = index.filled(sources.scheduledAt ?? [])[0];
  const scheduledAt = planned === undefined ? null : timeOf(planned, timeZone, now);
  const when = scheduledAt ?? date;
  const losesDate = when !== null;
  const none = { publishedAt: undefined, scheduledAt: undefined };
  if (isPrivate) return { set: { ...none, status: 'draft' }, losesDate, problem: null };
  const status =
    'status' in common ? common.status : isIn(leaveOut, 'status') ? undefined : (own.status ?? undefined);
  if (status !== 'published' && status !== 'scheduled')
    return { set: status === undefined ? {} : { status }, losesDate, problem: null };
  const isGiven = 'publishedAt' in common || 'scheduledAt' in common;
  if (isGiven || when === null) return { set: { status }, losesDate: false, problem: null };
  const time = new Date(when).toISOString().replace('.000Z', 'Z');
  if (when > now) {
    // Without its time it would be public at once.
    if (isIn(leaveOut, 'scheduledAt')) return { set: { ...none, status: 'draft' }, losesDate, problem: null };
    return { set: { status: 'scheduled', scheduledAt: time }, losesDate: false, problem: null };
  }
  if (status === 'published') return { set: { status, publishedAt: time }, losesDate: false, problem: null };
  const past = problemOf(
    planned ?? { name: 'date', line: 1 },
    'must be in the future for a scheduled post',
    time,
  );
  return { set: { status, scheduledAt: time }, losesDate: false, problem: past };
}

function timeOf(field: Field, timeZone: string, now: number): number {
  const text = typeof field.written === 'string' ? field.written : '';
  const relative = () => parseTime(text, now);
  const time = readDate(text, timeZone) ?? Date.parse(relative() ?? '');
  if (Number.isNaN(time)) throw problemOf(field, `must be a time, for example ${timeExamples}`, text);
  return time;
}

function leftOutOf(fields: readonly Field[], mapping: Mapping): readonly string[] {
  const { leaveOut } = mapping;
  const held = (name: string) =>
    isIn(leaveOut, name) ||
    leaveOut.some((target) => isIn(sources[target] ?? [], name) && !isIn(visibilityNames, name));
  return fields
    .filter((field) => !isSentAsIs(field, mapping))
    .map(({ name }) => name)
    .filter((name) => held(name) || !knownNames.has(plainName(name)));
}
