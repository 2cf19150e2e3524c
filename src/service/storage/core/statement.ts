import { CompiledQuery, type Insertable } from 'kysely';
import type { Schema } from './schema.ts';
import { isEmbedded, type Queries, type Tenant } from './storage.ts';

type Name<Values> = keyof Values & string;

/** Result of a statement. */
interface StatementResult<Row> {
  /** With the names of the schema, in camelCase. */
  readonly rows: readonly Row[];
  /** How many rows it inserted, updated or deleted. */
  readonly changes: number;
}

type Run<Values, Row> = (db: Queries, values: Pick<Values, Name<Values>>) => Promise<StatementResult<Row>>;

/**
 * A statement in plain SQL with the names of its values in place of the values:
 *
 *     const findName = statement<{ id: string }, { name: string }>`select name from stores where id = ${'id'}`;
 *     const { rows } = await findName(db, { id });
 *
 * For statements that nearly every request runs: Kysely needs longer to build a query, each time, than the embedded
 * engine to run it.
 */
export function statement<Values extends object, Row = never>(
  pieces: TemplateStringsArray,
  ...names: Name<Values>[]
): Run<Values, Row> {
  return compile(pieces, names);
}

/** A statement that inserts a row into a table of a store. */
export function insertion<
  Table extends keyof Schema & string,
  Column extends Exclude<keyof Insertable<Schema[Table]>, 'storeId'> & string,
>(table: Table, columns: readonly Column[]) {
  type Row = Pick<Insertable<Schema[Table]>, Column>;
  const names = ['storeId', ...columns];
  const beginning = `insert into ${inSnakeCase(table)} (${names.map(inSnakeCase).join(', ')}) values (`;
  const run = compile([beginning, ...columns.map(() => ', '), ')'], names);
  return async ({ db, storeId }: Tenant, row: Row): Promise<void> => {
    await run(db, { ...row, storeId });
  };
}

function compile<Values, Row>(pieces: readonly string[], names: readonly string[]): Run<Values, Row> {
  const toSql = (place: (number: number) => string) =>
    pieces.reduce((text, piece, index) => `${text}${place(index)}${piece}`);
  const forEmbedded = toSql(() => '?');
  const forPostgres = toSql((number) => `$${number}`);
  return async (db, values) => {
    const sql = isEmbedded(db) ? forEmbedded : forPostgres;
    const parameters = names.map((name) => (values as Record<string, unknown>)[name]);
    const { rows, numAffectedRows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, parameters));
    return { rows, changes: Number(numAffectedRows ?? 0) };
  };
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
