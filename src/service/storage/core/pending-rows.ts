/** An insert into one table. */
export interface RowInsert {
  readonly table: string;
  /** Inserts one row, with a `?` in the place of each of its values. */
  readonly sql: string;
}

type Values = readonly unknown[];

/** Rows of a transaction that wait to be inserted together: a row of many takes half the time of one by itself. */
export interface PendingRows {
  add(insert: RowInsert, values: Values): void;
  /**
   * Inserts what a statement could see. Throws as the engine does, or when there is a row already. A statement that only
   * refers to a row which waits fails, and the transaction runs again without waiting.
   */
  flushBefore(sql: string): void;
  flush(): void;
  /** Forgets them: the transaction is undone. */
  clear(): void;
}

/**
 * How many rows of those that are left are inserted at once: up to 64, and multiples of four where there are more than
 * three, so that there are few statements to prepare and few to run.
 */
function countAtOnce(left: number): number {
  return left < 4 ? left : Math.min(left - (left % 4), 64);
}

/** `run` answers how many rows a statement has changed. */
export function createPendingRows(run: (sql: string, parameters: Values) => number): PendingRows {
  /** In the order of their first rows, so that what refers to another row comes after it. */
  const pending = new Map<RowInsert, Values[]>();
  const sqlOf = rememberSql();

  function flush(): void {
    const inserts = [...pending];
    pending.clear();
    for (const [insert, rows] of inserts) {
      for (let at = 0; at < rows.length; ) {
        const count = countAtOnce(rows.length - at);
        const inserted = insertAtOnce(insert, rows.slice(at, at + count));
        if (inserted !== count) throw new Error(`a row of ${insert.table} was there already`);
        at += count;
      }
    }
  }

  /**
   * A value that all the rows have is handed over once: that takes longer than to store it, and of the values of one kind of
   * change half are such.
   */
  function insertAtOnce(insert: RowInsert, rows: readonly Values[]): number {
    const [first = []] = rows;
    const isCommon = first.map((value, column) => rows.every((row) => row[column] === value));
    const parameters = first.filter((_, column) => isCommon[column]);
    for (const row of rows) parameters.push(...row.filter((_, column) => !isCommon[column]));
    return run(sqlOf(insert, rows.length, isCommon), parameters);
  }

  return {
    add(insert, values) {
      const rows = pending.get(insert);
      if (rows === undefined) pending.set(insert, [values]);
      else rows.push(values);
    },
    flushBefore(sql) {
      if (pending.size === 0) return;
      // A deletion may cascade.
      const mayConcernAny = !/^\s*(?:select|insert|update)\b/i.test(sql);
      if (mayConcernAny || [...pending.keys()].some(({ table }) => sql.includes(`"${table}"`))) flush();
    },
    flush,
    clear: () => pending.clear(),
  };
}

/** SQL that inserts so many rows. The values that they have in common are its first parameters. */
type SqlOf = (insert: RowInsert, rows: number, isCommon: readonly boolean[]) => string;

/** Texts that are remembered at the same time: what rows have in common is for their senders to say. */
const mostRemembered = 200;

function rememberSql(): SqlOf {
  const known = new Map<string, string>();
  return ({ sql }, rows, isCommon) => {
    const name = `${rows} ${isCommon} ${sql}`;
    let made = known.get(name);
    if (made === undefined) {
      made = sqlOfMany(sql, rows, isCommon);
      if (known.size >= mostRemembered) known.clear();
      known.set(name, made);
    }
    return made;
  };
}

function sqlOfMany(sql: string, rows: number, isCommon: readonly boolean[]): string {
  let parameters = 0;
  const next = () => {
    parameters += 1;
    return `?${parameters}`;
  };
  const common = isCommon.map((is) => (is ? next() : null));
  const row = () => `(${common.map((parameter) => parameter ?? next()).join(', ')})`;
  return sql.replace(/\((?:\?, )*\?\)/, () => Array.from({ length: rows }, row).join(', '));
}
