import { CompiledQuery } from 'kysely';
import { isEmbedded, type Queries } from './storage.ts';

type Name<Values> = keyof Values & string;

interface TableName {
  readonly table: string;
}

/** Result of a statement. */
export interface StatementResult<Row> {
  /** With the names of the schema, in camelCase. */
  readonly rows: readonly Row[];
  /** How many rows it inserted, updated or deleted. */
  readonly changes: number;
}

/**
 * A statement in plain SQL with the names of its values in place of the values:
 *
 *     const findName = statement<{ id: string }, { name: string }>`select name from stores where id = ${'id'}`;
 *     const { rows } = await findName(db, { id });
 *
 * A table that is not always the same is given as `{ table }`.
 *
 * For statements that nearly every request runs: Kysely needs longer to build a query, each time, than the embedded
 * engine to run it.
 */
export function statement<Values extends object, Row = never>(
  pieces: TemplateStringsArray,
  ...parts: (Name<Values> | TableName)[]
): (db: Queries, values: Pick<Values, Name<Values>>) => Promise<StatementResult<Row>> {
  const names = parts.filter((part) => typeof part === 'string');
  const toSql = (place: (number: number) => string) => {
    let number = 0;
    return pieces.reduce((text, piece, index) => {
      const part = parts[index - 1];
      return `${text}${typeof part === 'object' ? part.table : place(++number)}${piece}`;
    });
  };
  const forEmbedded = toSql(() => '?');
  const forPostgres = toSql((number) => `$${number}`);
  return async (db, values) => {
    const sql = isEmbedded(db) ? forEmbedded : forPostgres;
    const parameters = names.map((name) => values[name]);
    const { rows, numAffectedRows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, parameters));
    return { rows, changes: Number(numAffectedRows ?? 0) };
  };
}
