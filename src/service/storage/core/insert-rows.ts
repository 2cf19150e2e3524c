import { type InsertObject, sql } from 'kysely';
import type { Schema } from './schema.ts';
import { isEmbedded, type Queries } from './storage.ts';

/** Limits of one statement on PostgreSQL. */
const maxRows = 1_000;
const maxCharacters = 4 * 1024 * 1024;

/**
 * Inserts many rows, which all have the columns of the first. On PostgreSQL a statement takes many rows, because each
 * statement is a round trip. The embedded engine inserts them one by one with `insertOne`, which is as fast there.
 */
export async function insertRows<Table extends keyof Schema, Row extends InsertObject<Schema, Table>>(
  db: Queries,
  table: Table,
  rows: readonly Row[],
  insertOne: (db: Queries, row: Row) => Promise<unknown>,
): Promise<void> {
  if (isEmbedded(db)) {
    for (const row of rows) await insertOne(db, row);
    return;
  }
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).map((name) => ({ name, inSql: inSnakeCase(name) }));
  const names = sql.join(columns.map(({ inSql }) => sql.ref(inSql)));
  const toJson = (row: Row) =>
    `{${columns.map(({ name, inSql }) => `"${inSql}":${JSON.stringify(Reflect.get(row, name) ?? null)}`).join(',')}}`;
  for (const batch of inBatches(rows.map(toJson))) {
    // In PostgreSQL a table is also a type: it gives each member of the JSON the type of its column.
    await sql`insert into ${sql.table(table)} (${names}) select ${names}
      from json_populate_recordset(null::${sql.table(table)}, ${`[${batch.join(',')}]`}::json)`.execute(db);
  }
}

function* inBatches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length === maxRows || (batch.length > 0 && characters + text.length > maxCharacters)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
