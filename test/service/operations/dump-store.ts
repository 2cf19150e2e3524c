import { canonicalJson } from '../../../src/base/json.ts';
import type { Service } from '../helpers/service.ts';

/** The tables that requests change, with the columns to sort by. Ids sort in the order of their making. */
const tables = {
  posts: ['id'],
  operationsSettings: ['storeId'],
  disputes: ['id'],
  disputeDecisions: ['disputeId'],
  backups: ['id'],
  subdomainReclaims: ['id'],
  endpoints: ['id'],
  events: ['id'],
  deliveries: ['id'],
  idempotencyKeys: ['operation', 'targetId', 'key'],
} as const;

/** Every row of the store that requests change. */
export async function dumpStore({ storage, storeId }: Service): Promise<unknown[]> {
  return storage.forStore(storeId).read(async (db) => {
    const rows: unknown[] = [await db.selectFrom('stores').selectAll().where('id', '=', storeId).execute()];
    for (const [table, columns] of Object.entries(tables)) {
      const found: Record<string, unknown>[] = await db
        .selectFrom(table as keyof typeof tables)
        .selectAll()
        .where('storeId', '=', storeId)
        .execute();
      const orderOf = (row: Record<string, unknown>) => columns.map((column) => row[column]).join(' ');
      found.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      rows.push(...found.map((row) => [table, { ...row, sequence: undefined, decidedBy: undefined }]));
    }
    return rows;
  });
}

/** Puts what is different each time (ids, hashes over them, when the store was made) as the place of its first mention. */
export function withoutIds(values: readonly unknown[], { store }: Service): unknown[] {
  const places = new Map<string, string>();
  const place = (found: string) => {
    const known = places.get(found) ?? `<${places.size}>`;
    places.set(found, known);
    return known;
  };
  return values.map((value) =>
    canonicalJson(value)
      .replaceAll(store.createdAt, '<made>')
      .replace(
        /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{12})\b/g,
        place,
      ),
  );
}
