import type { Tenant } from './storage/storage.ts';

/** One request's unit of work: all that it does happens in one transaction, to one store. */
export interface Work extends Tenant {
  /** Id of the API key that asks. */
  readonly actor: string;
  /** Epoch milliseconds. One request has one time. */
  readonly now: number;
}

/** ISO 8601, UTC, milliseconds: the form of every stored and answered time. Such times sort as text. */
export function timestamp(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString();
}

export const daysInMs = (days: number) => days * 24 * 60 * 60 * 1000;
