import type { Insertable } from 'kysely';
import type { Schema } from './schema.ts';
import type { Queries, StatementResult, Tenant } from './storage.ts';

type Name<Values> = keyof Values & string;

/** The rows have the names of the schema, in camelCase. */
type Run<Values, Row> = (db: Queries, values: Pick<Values, Name<Values>>) => Promise<StatementResult<Row>>;

/**
 * A statement in plain SQL with the names of its values in place of the values:
 *
 *     const findName = statement<{ id: string }, { name: string }>`select name from stores where id = ${'id'}`;
 *     const { rows } = await findName(db, { id });
 *
 * For statements that nearly every request runs: Kysely needs longer to build a query, each time, than the embedded
 * engine to run it. On PostgreSQL a read by one fails after 1.5 s, because a request waits for it. Name the columns in
 * place of `*`: PostgreSQL keeps the statement while a later version adds some.
 */
export function statement<Values extends object, Row = never>(
  pieces: TemplateStringsArray,
  ...valueNames: Name<Values>[]
): Run<Values, Row> {
  return compile(pieces, valueNames);
}

/** As `statement`, for one that changes something, and whose answer nobody needs. On PostgreSQL it costs no round trip. */
export function pipelined<Values extends object>(
  pieces: TemplateStringsArray,
  ...valueNames: Name<Values>[]
): (...given: Parameters<Run<Values, never>>) => Promise<unknown> {
  return compile(pieces, valueNames, true);
}

/** Columns as they are given: an object where JSON is stored, a boolean where 0 or 1 is. */
type Given<Columns> = { [Name in keyof Columns]: Columns[Name] | Unstored<Columns[Name]> };
type Unstored<Value> = Value extends string ? object : Value extends number ? boolean : never;

const insertions = new Map<string, Run<object, never>>();

/** Inserts a row into a table of a store: an effect. */
export async function insert<Table extends keyof Schema & string>(
  { db, storeId }: Tenant,
  table: Table,
  row: Given<Omit<Insertable<Schema[Table]>, 'storeId'>>,
): Promise<void> {
  const columns = ['storeId', ...Object.keys(row)];
  const name = `${table} ${columns}`;
  const run = insertions.get(name) ?? compileInsertion(table, columns);
  insertions.set(name, run);
  await run(db, { ...row, storeId });
}

function compileInsertion(table: string, columns: readonly string[]): Run<object, never> {
  const beginning = `insert into ${inSnakeCase(table)} (${columns.map(inSnakeCase).join(', ')}) values (`;
  return compile([beginning, ...columns.slice(1).map(() => ', '), ')'], columns, true);
}

let compiled = 0;

function compile<Values, Row>(
  pieces: readonly string[],
  valueNames: readonly string[],
  isEffect = false,
): Run<Values, Row> {
  const toSql = (place: (number: number) => string) =>
    pieces.reduce((text, piece, index) => `${text}${place(index)}${piece}`);
  const forEmbedded = toSql(() => '?');
  const forPostgres = toSql((number) => `$${number}`);
  const known = { name: `storectl_${compiled++}`, isEffect };
  return async (db, values) => {
    const text = db.engine === 'embedded' ? forEmbedded : forPostgres;
    const parameters = valueNames.map((name) => stored((values as Record<string, unknown>)[name]));
    const { rows, changes } = await db.run(text, parameters, known);
    return { rows: rows.map(withNamesOfSchema) as Row[], changes };
  };
}

/** Objects are stored as JSON, and booleans as 0 and 1. */
function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

const namesOfSchema = new Map<string, string>();

function withNamesOfSchema(row: object): object {
  const renamed: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const inCamelCase = () => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const name = namesOfSchema.get(column) ?? inCamelCase();
    namesOfSchema.set(column, name);
    renamed[name] = value;
  }
  return renamed;
}

export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
