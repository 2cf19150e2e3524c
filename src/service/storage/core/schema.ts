import type { Generated, Selectable } from 'kysely';
import type { tables } from './tables.ts';

type Tables = typeof tables;

/** The tables as Kysely sees them. */
export type Schema = {
  [Table in keyof Tables]: { [Name in keyof Tables[Table]]: Column<Tables[Table][Name]> };
};

/** From the SQL of a column. What the database can fill in may be left out of an insertion. */
type Column<Sql> = Sql extends `${string}${'default' | 'autoincrement'}${string}`
  ? Generated<Value<Sql>>
  : Value<Sql>;

type Value<Sql> =
  | (Sql extends `integer${string}` ? number : string)
  | (Sql extends `${string}${'not null' | 'primary key'}${string}` ? never : null);

/**
 * A row as the operations see it: without the id of its store, which its tenant names. `Values` are the columns that hold
 * something else than the table, such as a list instead of JSON.
 */
export type RecordOf<Table extends keyof Schema, Values = object> = Readonly<
  Omit<Selectable<Schema[Table]>, 'storeId' | keyof Values> & Values
>;
