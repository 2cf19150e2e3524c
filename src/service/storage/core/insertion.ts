import { CompiledQuery, type Insertable } from 'kysely';
import { gather } from './gather.ts';
import type { Schema } from './schema.ts';
import { isEmbedded, type Tenant } from './storage.ts';

/** Of one statement on PostgreSQL. */
const maxCharacters = 4 * 1024 * 1024;

/** Inserts rows of the tenant's store. False if not all that were inserted together are new. */
export type InsertRows<Row> = (tenant: Tenant, rows: readonly Row[]) => Promise<boolean>;

/**
 * A way to insert rows into a table. PostgreSQL gets many rows with one statement, because each statement is a round trip,
 * and plain SQL, because building a query takes longer than running it. `onConflict` is the clause in SQL.
 */
export function insertion<
  Table extends keyof Schema & string,
  Column extends Exclude<keyof Insertable<Schema[Table]>, 'storeId'> & string,
>(
  table: Table,
  columns: readonly Column[],
  onConflict = '',
): InsertRows<Pick<Insertable<Schema[Table]>, Column>> {
  type Row = Pick<Insertable<Schema[Table]>, Column>;
  const tableInSql = inSnakeCase(table);
  const names = ['store_id', ...columns.map(inSnakeCase)];
  const beginning = `insert into ${tableInSql} (${names.join(', ')})`;
  const forEmbedded = `${beginning} values (${names.map(() => '?').join(', ')}) ${onConflict}`;
  // In PostgreSQL a table is also a type: it gives each member of the JSON the type of its column.
  const forPostgres = `${beginning} select $1, ${names.slice(1).join(', ')}
    from json_populate_recordset(null::${tableInSql}, $2::json) ${onConflict}`;

  async function run({ db }: Tenant, sql: string, values: readonly unknown[]): Promise<number> {
    const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(sql, values as unknown[]));
    return Number(numAffectedRows ?? 0);
  }

  const toJson = (row: Row) =>
    `{${columns.map((column) => `"${inSnakeCase(column)}":${JSON.stringify(row[column] ?? null)}`).join(',')}}`;

  const insertGathered = gather(async (tenant, gathered: readonly (readonly Row[])[]) => {
    const rows = gathered.flat();
    const batches = inBatches(rows.map(toJson));
    // Sent together, so that what is asked after this is also sent after all of it.
    const counts = await Promise.all(
      batches.map((batch) => run(tenant, forPostgres, [tenant.storeId, `[${batch.join(',')}]`])),
    );
    return counts.reduce((total, count) => total + count, 0) === rows.length;
  });

  return async (tenant, rows) => {
    if (rows.length === 0) return true;
    if (!isEmbedded(tenant.db)) return insertGathered(tenant, rows);
    let inserted = 0;
    for (const row of rows) {
      inserted += await run(tenant, forEmbedded, [tenant.storeId, ...columns.map((column) => row[column])]);
    }
    return inserted === rows.length;
  };
}

function inBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (characters + text.length > maxCharacters) {
      batches.push([]);
      characters = 0;
    }
    batches.at(-1)?.push(text);
    characters += text.length;
  }
  return batches;
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
