import type Database from 'libsql';

type Statement = ReturnType<Database.Database['prepare']>;

interface Prepared {
  readonly statement: Statement;
  /** Names of the columns of its rows, null where it answers none. Another connection may add columns. */
  columns: readonly string[] | null;
  readonly effect: Effect | null;
}

/** What a statement may change. */
interface Effect {
  /** The only table that it changes, or null when it may be any: the schema has deletions that cascade. */
  readonly table: string | null;
  /** Whether the engine says how many rows have changed. */
  readonly isCounted: boolean;
}

/** Null for a statement that only reads. */
function effectOf(sql: string): Effect | null {
  const [, verb = '', table = ''] = /^\s*(\w+)(?: into)?(?: "(\w+)")?/i.exec(sql) ?? [];
  if (/^(?:select|pragma)$/i.test(verb)) return null;
  const isOfOneTable = /^(?:insert|update)$/i.test(verb) && table !== '';
  return { table: isOfOneTable ? table : null, isCounted: isOfOneTable || /^delete$/i.test(verb) };
}

export interface RawResult {
  /** Rows of values, in the order of the columns. */
  readonly rows: readonly unknown[][];
  readonly columns: readonly string[];
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** Runs one statement on a connection. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => RawResult;

export interface Runner {
  readonly run: RunStatement;
  /** What the statements have changed so far. */
  readonly changes: Changes;
}

/** Counts statements that may have changed something. */
export interface Changes {
  /** All of them. */
  count(): number;
  /** Those after which a table may not be as before. */
  countIn(table: string): number;
  /** Counts what changes no table. */
  addUnchanged(): void;
  /** Counts one that changes a table, or null for one that may change any. */
  add(table: string | null): void;
}

function createChanges(): Changes {
  let all = 0;
  let inAnyTable = 0;
  const byTable = new Map<string, number>();
  return {
    count: () => all,
    countIn: (table) => inAnyTable + (byTable.get(table) ?? 0),
    addUnchanged() {
      all += 1;
    },
    add(table) {
      all += 1;
      if (table === null) inAnyTable += 1;
      else byTable.set(table, (byTable.get(table) ?? 0) + 1);
    },
  };
}

function columnsOf(statement: Statement): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

const maxPrepared = 200;

/** Statements are prepared once and kept, up to a number, since preparing costs more than running. */
export function createRunner(database: Database.Database): Runner {
  const changes = createChanges();
  /** Oldest first. */
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const statement = database.prepare(sql);
    const columns = statement.reader ? columnsOf(statement.raw()) : null;
    const made: Prepared = { statement, columns, effect: effectOf(sql) };
    prepared.set(sql, made);
    if (prepared.size > maxPrepared) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest);
        break;
      }
    }
    return made;
  }

  const run: RunStatement = (sql, parameters) => {
    const known = prepared.get(sql) ?? prepare(sql);
    const { statement, effect } = known;
    try {
      if (known.columns !== null) {
        // Not with `get`, which has been seen to answer a query with the row of the one before.
        const rows = statement.all(parameters) as unknown[][];
        if (effect !== null) changes.add(effect.table);
        // The engine has heard of new columns when it ran the statement.
        if (rows[0] !== undefined && rows[0].length !== known.columns.length)
          known.columns = columnsOf(statement);
        return { rows, columns: known.columns, changes: 0, lastInsertRowid: 0 };
      }
      const result = statement.run(parameters);
      if (effect !== null && (result.changes > 0 || !effect.isCounted)) changes.add(effect.table);
      return { rows: [], columns: [], changes: result.changes, lastInsertRowid: result.lastInsertRowid };
    } catch (error) {
      // libsql does not reset every statement that has failed.
      prepared.delete(sql);
      throw error;
    }
  };
  return { run, changes };
}
