import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import type { KnownObject } from '../../history/objects/known-objects.ts';
import { printable, shorten } from '../core/sanitize.ts';
import { formatDistance } from './format-value.ts';

/** `nightly, store+blog, 2 hours ago`, printable. One that has to be acted on says when it is due instead: `due in 2 days, …`. */
export function describeKnown(
  kind: ObjectKind,
  { fields, seenAt }: Pick<KnownObject, 'fields' | 'seenAt'>,
): string {
  const { recognizedBy, due } = kindOf(kind);
  const left =
    due !== undefined && fields.status === due.status ? Date.parse(String(fields[due.at])) : Number.NaN;
  const values = recognizedBy.map((name) =>
    name === 'status' && !Number.isNaN(left) ? `due ${formatDistance(left - Date.now())}` : fields[name],
  );
  const { createdAt } = fields;
  return describeAged(values, due !== undefined ? '' : typeof createdAt === 'string' ? createdAt : seenAt);
}

/** The texts and lists among the values, each shortened, and how long ago `time` is, unless it is empty. */
export function describeAged(values: readonly unknown[], time: string): string {
  const words = values
    .map((value) => (Array.isArray(value) ? `(${value.join(', ')})` : value))
    .filter((value) => typeof value === 'string')
    .map((value) => printable(shorten(value.trim().replace(/\s+/g, ' '), 50)));
  const age = Date.parse(time) - Date.now();
  return [...words, ...(Number.isNaN(age) ? [] : [formatDistance(age)])]
    .join(', ')
    .replaceAll('., ', ', ')
    .replaceAll(', (', ' (');
}
