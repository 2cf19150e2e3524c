import type { KnownKind, KnownObject } from '../../history/known-objects.ts';
import { printable } from '../core/sanitize.ts';
import { formatDistance } from './format-value.ts';

/** Fields that tell objects of a kind apart. */
const toldApartBy: Readonly<Record<KnownKind, readonly string[]>> = {
  backup: ['label', 'sections'],
  dispute: ['status', 'reason'],
  reclaim: ['subdomain', 'status'],
};

/** `nightly, store+blog, 2 hours ago`, printable. `now` is in epoch milliseconds. */
export function describeKnown(
  kind: KnownKind,
  { fields, createdAt }: Pick<KnownObject, 'fields' | 'createdAt'>,
  now: number,
): string {
  return describeAged(
    toldApartBy[kind].map((name) => fields[name]),
    createdAt,
    now,
  );
}

/** The texts and lists among the values, each shortened, and how long ago `createdAt` is, unless it is empty. */
export function describeAged(values: readonly unknown[], createdAt: string, now: number): string {
  const words = values
    .map((value) => (Array.isArray(value) ? value.join('+') : value))
    .filter((value) => typeof value === 'string')
    .map((value) => printable(value.slice(0, 50)));
  const age = Date.parse(createdAt) - now;
  return [...words, ...(Number.isNaN(age) ? [] : [formatDistance(age)])].join(', ');
}
