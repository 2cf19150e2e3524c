import type { KnownKind, KnownObject } from '../../history/objects/known-objects.ts';
import { printable, shorten } from '../core/sanitize.ts';
import { formatDistance } from './format-value.ts';

/** What a list of objects of a kind shows of each. */
const distinguishingFields: Readonly<Record<Exclude<KnownKind, 'dispute'>, readonly string[]>> = {
  backup: ['label', 'sections'],
  post: ['title', 'slug'],
  endpoint: ['name', 'kind'],
  reclaim: ['subdomain', 'status'],
  notification: ['title'],
};

/** `nightly, store+blog, 2 hours ago`, printable. */
export function describeKnown(
  kind: KnownKind,
  { fields, seenAt }: Pick<KnownObject, 'fields' | 'seenAt'>,
): string {
  if (kind === 'dispute') return describeAged(valuesOfDispute(fields), '');
  const values = distinguishingFields[kind].map((name) => fields[name]);
  return describeAged(values, seenAt);
}

/** What one has to act on: when an open dispute is due, how a decided one ended, then who and why. */
function valuesOfDispute({ status, deadlineAt, buyerEmail, reason }: KnownObject['fields']): unknown[] {
  const left = Date.parse(String(deadlineAt)) - Date.now();
  const due = status === 'open' && !Number.isNaN(left) ? `due ${formatDistance(left)}` : status;
  return [due, buyerEmail, reason];
}

/** The texts and lists among the values, each shortened, and how long ago `time` is, unless it is empty. */
export function describeAged(values: readonly unknown[], time: string): string {
  const words = values
    .map((value) => (Array.isArray(value) ? `(${value.join(', ')})` : value))
    .filter((value) => typeof value === 'string')
    .map((value) => printable(shorten(value.trim().replace(/\s+/g, ' '), 50)));
  const age = Date.parse(time) - Date.now();
  return [...words, ...(Number.isNaN(age) ? [] : [formatDistance(age)])].join(', ').replaceAll(', (', ' (');
}
