import type { Engine, Queries } from '../core/storage.ts';

/** One step from an older schema to a newer one. */
export interface Migration {
  readonly name: string;
  up(db: Queries, engine: Engine): Promise<void>;
}
