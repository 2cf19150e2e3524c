import type { Compilable, CompiledQuery, InsertQueryBuilder, InsertResult } from 'kysely';
import type { Schema } from './schema.ts';
import type { Queries } from './storage.ts';

/*
 * Kysely builds and compiles a query anew each time it is run, which takes longer than the embedded engine needs to run
 * it. What is asked with every request is compiled once for each engine, with marks in the places of its values.
 */

/** What came of a statement. */
export interface StatementResult {
  /** With the names of the schema, in camelCase. */
  readonly rows: readonly unknown[];
  readonly changes: number;
}

/** Runs one statement at once, on the connection that a {@link Queries} stands for. */
export type RunDirectly = (sql: string, parameters: readonly unknown[]) => StatementResult;

const direct = new WeakMap<Queries, RunDirectly>();

/** Lets prepared queries of `db` pass Kysely by: it would only hand them on. */
export function passBy(db: Queries, run: RunDirectly): void {
  direct.set(db, run);
}

/** A query with its values left out. */
interface Template {
  readonly compiled: CompiledQuery;
  /** For each parameter the name of its value, or null where it is always the same. */
  readonly names: readonly (string | null)[];
}

const markPrefix = '\u0000mark ';

/** Stands for values that are not known yet: each is a mark with its own name. */
const marks = new Proxy({}, { get: (_, name) => markPrefix + String(name) });

function toTemplate(query: Compilable): Template {
  const compiled = query.compile();
  const names = compiled.parameters.map((value) =>
    typeof value === 'string' && value.startsWith(markPrefix) ? value.slice(markPrefix.length) : null,
  );
  return { compiled, names };
}

async function run(db: Queries, { compiled, names }: Template, values: object): Promise<StatementResult> {
  const given = values as Readonly<Record<string, unknown>>;
  const parameters = names.map((name, at) => (name === null ? compiled.parameters[at] : given[name]));
  const runDirectly = direct.get(db);
  if (runDirectly !== undefined) return runDirectly(compiled.sql, parameters);
  const { rows, numAffectedRows } = await db.executeQuery({ ...compiled, parameters });
  return { rows, changes: Number(numAffectedRows ?? 0) };
}

/** Makes a template once for each engine: their SQL differs. */
function oncePerEngine(make: (db: Queries) => Template): (db: Queries) => Template {
  const templates = new WeakMap<object, Template>();
  return (db) => {
    const { adapter } = db.getExecutor();
    let template = templates.get(adapter);
    if (template === undefined) {
      template = make(db);
      templates.set(adapter, template);
    }
    return template;
  };
}

/**
 * A query that answers rows. `build` is called once for each engine and must only put its values in the places of
 * values: it sees marks instead of them.
 */
export function prepare<Values extends object, Row>(
  build: (db: Queries, values: Values) => Compilable<Row>,
): (db: Queries, values: Values) => Promise<Row[]> {
  const templateOf = oncePerEngine((db) => toTemplate(build(db, marks as Values)));
  return async (db, values) => (await run(db, templateOf(db), values)).rows as Row[];
}

/**
 * Inserts a row into a table and answers how many rows that changed. `finish` may say what happens in a conflict. All
 * rows have the columns of the first.
 */
export function prepareInsert<Table extends keyof Schema>(
  table: Table,
  finish: (query: Insert<Table>) => Insert<Table> = (query) => query,
): (db: Queries, row: Parameters<Insert<Table>['values']>[0] & object) => Promise<number> {
  let columns: readonly string[] = [];
  const templateOf = oncePerEngine((db) => {
    const row = Object.fromEntries(columns.map((name) => [name, markPrefix + name]));
    return toTemplate(finish(db.insertInto(table).values(row as Parameters<Insert<Table>['values']>[0])));
  });
  return async (db, row) => {
    if (columns.length === 0) columns = Object.keys(row);
    return (await run(db, templateOf(db), row)).changes;
  };
}

type Insert<Table extends keyof Schema> = InsertQueryBuilder<Schema, Table, InsertResult>;
