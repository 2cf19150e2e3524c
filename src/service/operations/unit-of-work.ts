import type { Tenant } from '../storage/storage.ts';

/** One request's unit of work: all that it does happens in one transaction, to one store. */
export interface Work extends Tenant {
  /** Id of the API key that asks. */
  readonly actor: string;
  /** Epoch milliseconds. One request has one time, and those that are saved together have the same. */
  readonly now: number;
}

/** A request names its few times several times, and others in the same millisecond name the same. */
const madeLately = new Map<number, string>();

/** ISO 8601, UTC, milliseconds: the form of every stored and answered time. Such times sort as text. */
export function timestamp(epochMilliseconds: number): string {
  const known = madeLately.get(epochMilliseconds);
  if (known !== undefined) return known;
  const made = new Date(epochMilliseconds).toISOString();
  if (madeLately.size >= 100) madeLately.clear();
  madeLately.set(epochMilliseconds, made);
  return made;
}

export const daysInMs = (days: number) => days * 24 * 60 * 60 * 1000;
