import type { Compilable, CompiledQuery, InsertObject, InsertQueryBuilder, InsertResult } from 'kysely';
import type { RowInsert } from './pending-rows.ts';
import type { Schema } from './schema.ts';
import type { Queries, Tenant } from './storage.ts';

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

/** The connection that a {@link Queries} stands for, where it is one and answers at once. */
export interface DirectConnection {
  run(sql: string, parameters: readonly unknown[]): StatementResult;
  /** See {@link mayPresumeMissing}. */
  presumesMissing(): boolean;
  /** Inserts a row now or later in the transaction. False when it was not inserted. See {@link prepareAppend}. */
  append(insert: RowInsert, values: readonly unknown[]): boolean;
  /** A number that is another one once a table may not be as before; null where it cannot tell. */
  stateOf(table: string): number | null;
}

const direct = new WeakMap<Queries, DirectConnection>();

/** Lets prepared queries of `db` pass Kysely by: it would only hand them on. */
export function passBy(db: Queries, connection: DirectConnection): void {
  direct.set(db, connection);
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

function valuesOf({ compiled, names }: Template, values: object): unknown[] {
  const given = values as Readonly<Record<string, unknown>>;
  return names.map((name, at) => (name === null ? compiled.parameters[at] : given[name]));
}

async function run(db: Queries, template: Template, values: object): Promise<StatementResult> {
  const { compiled } = template;
  const parameters = valuesOf(template, values);
  const connection = direct.get(db);
  if (connection !== undefined) return connection.run(compiled.sql, parameters);
  const { rows, numAffectedRows } = await db.executeQuery({ ...compiled, parameters });
  return { rows, changes: Number(numAffectedRows ?? 0) };
}

/** Makes something once for each engine, whose SQL differs, of what is given with the first call. */
function oncePerEngine<Given extends unknown[], Made>(
  make: (db: Queries, ...given: Given) => Made,
): (db: Queries, ...given: Given) => Made {
  const byAdapter = new WeakMap<object, Made>();
  return (db, ...given) => {
    const { adapter } = db.getExecutor();
    let made = byAdapter.get(adapter);
    if (made === undefined) {
      made = make(db, ...given);
      byAdapter.set(adapter, made);
    }
    return made;
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
 * Whether a row that is hardly ever there may be taken to be missing by a change that appends it then. The embedded engine
 * says so at first: where the row is there, the append or whatever else fails, and all of the changes that share the
 * commit run again, and look.
 */
export function mayPresumeMissing(db: Queries): boolean {
  return direct.get(db)?.presumesMissing() ?? false;
}

/** Results that are remembered for one connection and table at the same time. */
const mostRemembered = 1_000;

/**
 * Remembers what `read` makes of one table for each store, until something in the table may have changed: for what is
 * read with every change, by the connection that makes them. The results must not be changed.
 */
export function rememberPerStore<Result>(
  table: string,
  read: (tenant: Tenant) => Promise<Result>,
): (tenant: Tenant) => Promise<Result> {
  interface Memory {
    state: number;
    readonly results: Map<string, Result>;
  }
  const memories = new WeakMap<DirectConnection, Memory>();
  return async (tenant) => {
    const connection = direct.get(tenant.db);
    const state = connection?.stateOf(table) ?? null;
    if (connection === undefined || state === null) return read(tenant);
    const memory = memories.get(connection) ?? { state, results: new Map() };
    memories.set(connection, memory);
    if (memory.state !== state || memory.results.size >= mostRemembered) memory.results.clear();
    memory.state = state;
    const known = memory.results.get(tenant.storeId);
    if (known !== undefined) return known;
    const result = await read(tenant);
    memory.results.set(tenant.storeId, result);
    return result;
  };
}

/**
 * Inserts a row into a table and answers how many rows that changed. `finish` may say what happens in a conflict. All
 * rows have the columns of the first.
 */
export function prepareInsert<Table extends keyof Schema>(
  table: Table,
  finish?: FinishInsert<Table>,
): (db: Queries, row: InsertRow<Table>) => Promise<number> {
  const insertOf = rowInsert(table, finish);
  return async (db, row) => (await run(db, insertOf(db, row).template, row)).changes;
}

/**
 * As {@link prepareInsert}, for rows that nothing in the same transaction looks at: the embedded engine may insert them
 * together with those of other changes, before a statement that names the table and before the commit at the latest.
 * Answers false, and inserts nothing, when a row is there already; where that comes to light later, all of the changes
 * that share the commit run again, and each row is inserted at once.
 */
export function prepareAppend<Table extends keyof Schema>(
  table: Table,
  finish?: FinishInsert<Table>,
): (db: Queries, row: InsertRow<Table>) => Promise<boolean> {
  const insertOf = rowInsert(table, finish);
  return async (db, row) => {
    const insert = insertOf(db, row);
    const connection = direct.get(db);
    if (connection === undefined) return (await run(db, insert.template, row)).changes > 0;
    return connection.append(insert, valuesOf(insert.template, row));
  };
}

/** The insert of a row with the columns of the first. */
function rowInsert<Table extends keyof Schema>(
  table: Table,
  finish: FinishInsert<Table> = (query) => query,
): (db: Queries, row: object) => RowInsert & { readonly template: Template } {
  return oncePerEngine((db, row: object) => {
    const marked = Object.fromEntries(Object.keys(row).map((name) => [name, markPrefix + name]));
    const template = toTemplate(finish(db.insertInto(table).values(marked as InsertRow<Table>), db));
    return {
      table: table.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      sql: template.compiled.sql,
      template,
    };
  });
}

type Insert<Table extends keyof Schema> = InsertQueryBuilder<Schema, Table, InsertResult>;
type FinishInsert<Table extends keyof Schema> = (query: Insert<Table>, db: Queries) => Insert<Table>;
type InsertRow<Table extends keyof Schema> = InsertObject<Schema, Table>;
