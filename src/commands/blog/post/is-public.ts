import path from 'node:path';
import { isTypo } from '../../../base/nearest-name.ts';
import { readDate, writeDates } from './dates.ts';
import type { Field } from './fields.ts';
import { type FieldIndex, plainName, problemOf } from './fields.ts';

/** Fields that keep a post from the public if they are true. */
const privateIfTrue = ['draft', 'isDraft', 'is_draft', 'hidden', 'unlisted', 'private', 'headless'];

/** Fields that do so if they are false. Some programs put the date into them. */
const privateIfFalse = ['published', 'publish', 'dg-publish'];

const expiry = ['expiryDate', 'expiry_date', 'unpublishDate'];

/** Fields that make a post private if they have any value. */
const privateIfFilled = ['password'];

const others = ['permalink', 'build', '_build'];

/** All fields that say whether a post is public. A name that is nearly one of these must not be ignored. */
const names = [...privateIfTrue, ...privateIfFalse, ...privateIfFilled, ...expiry, 'status', 'visibility'];

/** Words that blogs use, and that are nearly one of those. */
const otherWords = ['publisher', 'stats', 'craft'];

export const visibilityNames: readonly string[] = [...names, ...others];

/** What a file says about itself. */
export interface Visibility {
  /** Whether it says that it is not public: then it is a draft, whatever any flag says. */
  readonly isPrivate: boolean;
  /** What says so, where it is not called a draft: `expiryDate`, `published: false`. Null otherwise. */
  readonly privateBy: string | null;
  /** The status that it names, in the words of the contract, or null. */
  readonly status: 'published' | 'scheduled' | 'draft' | null;
}

/**
 * What the fields of a file and its folder say about who may read it. Throws a ProblemInFile for anything that might mean that
 * it is not public and cannot be read.
 */
export function readVisibility(
  index: FieldIndex,
  file: string | null,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): Visibility {
  for (const field of index.all) refuseTypo(field);
  const status = readStatus(index);
  const marks = [
    ...namesWhere(index, privateIfTrue, truthOf),
    ...namesWhere(index, privateIfFalse, (field) => !isDate(field, timeZone) && !truthOf(field)).map(
      (name) => `${name}: false`,
    ),
    ...namesWhere(index, privateIfFilled, ({ value }) => value !== false),
    ...namesWhere(index, ['visibility'], ({ written }) => String(written).toLowerCase() !== 'public'),
    ...namesWhere(index, ['permalink'], ({ written }) => isFalse(written)),
    ...namesWhere(index, ['build.render', '_build.render'], ({ written }) => neverRendered(written)),
    ...namesWhere(index, expiry, (field) => timeOf(field, timeZone) <= now),
    ...(status === 'draft' ? index.filled(['status']).map(({ written }) => `status: ${written}`) : []),
    ...(isInDraftsFolder(file) ? ['drafts folder'] : []),
  ];
  const isPrivate = marks.length > 0;
  const [mark = ''] = marks;
  const isCalledDraft = marks.some((one) => /draft/i.test(one));
  return {
    isPrivate,
    privateBy: isPrivate && !isCalledDraft ? mark : null,
    status: isPrivate ? 'draft' : status,
  };
}

/** The names, as the file has them, of those fields for which `test` is true. */
function namesWhere(index: FieldIndex, fields: readonly string[], test: (field: Field) => boolean): string[] {
  return index
    .filled(fields)
    .filter(test)
    .map(({ name }) => name);
}

/** Folders whose files nobody is meant to see yet. */
function isInDraftsFolder(file: string | null): boolean {
  return (
    file !== null &&
    path
      .dirname(file)
      .split(/[/\\]/)
      .some((folder) => /^_?drafts$/i.test(folder))
  );
}

const lowerNames = names.map((name) => ({ name, lower: plainName(name) }));
const knownNames = new Set([...visibilityNames, ...otherWords].map(plainName));

/** Of each name that was found: the files of a blog have the same few. */
const meantBy = new Map<string, string | null>();

function refuseTypo(field: Field): void {
  const typed = plainName(field.name);
  if (knownNames.has(typed)) return;
  let meant = meantBy.get(typed);
  if (meant === undefined) {
    meant = lowerNames.find(({ lower }) => isTypo(lower, typed))?.name ?? null;
    meantBy.set(typed, meant);
  }
  if (meant !== null) throw problemOf(field, `looks mistyped (did you mean ${meant}?)`);
}

const trueWords = ['true', 'yes', 'y', 'on', '1'];
const falseWords = ['false', 'no', 'n', 'off', '0'];

function truthOf(field: Field): boolean {
  const word = typeof field.written === 'string' ? field.written.trim().toLowerCase() : '';
  if (trueWords.includes(word)) return true;
  if (falseWords.includes(word)) return false;
  throw problemOf(field, 'must be true or false', field.written);
}

function isFalse(written: unknown): boolean {
  return typeof written === 'string' && falseWords.includes(written.trim().toLowerCase());
}

function neverRendered(written: unknown): boolean {
  return isFalse(written) || String(written).trim().toLowerCase() === 'never';
}

function isDate({ written }: Field, timeZone: string): boolean {
  return typeof written === 'string' && readDate(written, timeZone) !== null;
}

function timeOf(field: Field, timeZone: string): number {
  const time = typeof field.written === 'string' ? readDate(field.written, timeZone) : null;
  if (time === null) throw problemOf(field, 'cannot be read as a date', field.written, writeDates);
  return time;
}

/** Words of WordPress, Ghost and others for the states of a post. */
const statusWords: Readonly<Record<string, Visibility['status']>> = {
  publish: 'published',
  published: 'published',
  public: 'published',
  scheduled: 'scheduled',
  future: 'scheduled',
  draft: 'draft',
  'auto-draft': 'draft',
  pending: 'draft',
  private: 'draft',
  hidden: 'draft',
  unlisted: 'draft',
  unpublished: 'draft',
};

function readStatus(index: FieldIndex): Visibility['status'] {
  const statuses = index.filled(['status']).map((field) => {
    const word = typeof field.written === 'string' ? field.written.trim().toLowerCase() : '';
    const status = statusWords[word];
    if (status === undefined || !Object.hasOwn(statusWords, word))
      throw problemOf(field, 'must be draft, scheduled or published', field.written);
    return status;
  });
  return statuses.includes('draft') ? 'draft' : (statuses[0] ?? null);
}
