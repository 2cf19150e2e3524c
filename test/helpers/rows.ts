import type { Storage } from '../../src/service/index.ts';

/** These columns of all rows of a table, in the order of the first. */
export function rowsOf(
  { storage }: { readonly storage: Storage },
  table: string,
  ...columns: readonly string[]
): Promise<Record<string, unknown>[]> {
  return storage.read((db) =>
    db
      .selectFrom(table as 'events')
      .select(columns as readonly 'id'[])
      .orderBy(columns[0] as 'id')
      .execute(),
  );
}
