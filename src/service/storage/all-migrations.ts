import type { Migration } from './core/migration.ts';
import { schema } from './migrations/0001-schema.ts';

/** In the order in which they run. A released migration is never edited: add a new one. */
export const migrations: readonly Migration[] = [schema];
