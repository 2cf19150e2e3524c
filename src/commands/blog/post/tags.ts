import { isObject } from '../../../base/json.ts';
import type { Field } from './fields.ts';
import { type FieldIndex, plainName, problemOf } from './fields.ts';

/** Fields of Jekyll whose text is split at spaces, too. */
const spaced = ['tags', 'categories'];

/** The tags of the fields with these names, joined, each once whatever its case; undefined if there are none. */
export function readTags(index: FieldIndex, names: readonly string[]): readonly string[] | undefined {
  const tags = new Map<string, string>();
  for (const field of index.filled(names)) {
    for (const tag of tagsOf(field)) {
      const key = tag.toLowerCase();
      if (!tags.has(key)) tags.set(key, tag);
    }
  }
  return tags.size === 0 ? undefined : [...tags.values()];
}

function tagsOf(field: Field): readonly string[] {
  const { written, value } = field;
  if (typeof value === 'boolean') return [];
  const tags = Array.isArray(written)
    ? written.flat(3)
    : typeof written === 'string'
      ? split(field.name, written)
      : null;
  const texts = tags?.map(textOf);
  if (texts === undefined || texts.includes(null))
    throw problemOf(field, 'must be a list of texts, such as [ink, paper]');
  return texts.flatMap((tag) => (tag === null || tag.trim() === '' ? [] : [tag.replace(/\s+/g, ' ').trim()]));
}

function split(name: string, text: string): readonly string[] {
  if (text.includes(',')) return text.split(',');
  return spaced.includes(plainName(name)) ? text.split(/\s+/) : [text];
}

/** The text of a tag, also of one that is an object with a name; null if it is neither. */
function textOf(tag: unknown): string | null {
  if (tag === null || tag === undefined) return '';
  if (typeof tag === 'string') return tag;
  const name = isObject(tag) ? (tag.name ?? tag.label) : null;
  return typeof name === 'string' ? name : null;
}
