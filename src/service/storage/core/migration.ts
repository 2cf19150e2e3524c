import type { Engine, Queries } from './storage.ts';

/**
 * One step from an older schema to a newer one. Instances of the version before go on serving after it, so it only adds: a
 * table, an index, or a column that may be null or has a default. What it replaces is dropped by a later version.
 */
export interface Migration {
  /** Ends with `!` if older versions can no longer work after it: they then refuse the database. */
  readonly name: string;
  /** In one transaction. */
  up?(db: Queries, engine: Engine): Promise<void>;
  /** An index on a table that may be large. On PostgreSQL others write while it is built. */
  readonly index?: { readonly name: string; readonly on: string };
}
