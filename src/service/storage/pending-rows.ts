/** An insert of any number of rows into one table. */
export interface RowInsert {
  readonly table: string;
  /** SQL that inserts so many rows, whose values are its parameters, one row after the other. */
  sqlFor(rows: number): string;
}

/** Rows of a transaction that wait to be inserted together: a row of many takes half the time of one by itself. */
export interface PendingRows {
  add(insert: RowInsert, values: readonly unknown[]): void;
  /**
   * Inserts what a statement could see. Throws as the engine does, or when there is a row already. A statement that only
   * refers to a row which waits fails, and the transaction runs again without waiting.
   */
  flushBefore(sql: string): void;
  flush(): void;
  /** Forgets them: the transaction is undone. */
  clear(): void;
}

/** Powers of two, up to this, are inserted at once, so that there are few statements to prepare. */
const mostAtOnce = 64;

/** `run` answers how many rows a statement has changed. */
export function createPendingRows(run: (sql: string, parameters: readonly unknown[]) => number): PendingRows {
  /** In the order of their first rows, so that what refers to another row comes after it. */
  const pending = new Map<RowInsert, (readonly unknown[])[]>();

  function flush(): void {
    const inserts = [...pending];
    pending.clear();
    for (const [insert, rows] of inserts) {
      for (let at = 0; at < rows.length; ) {
        const count = 2 ** Math.floor(Math.log2(Math.min(rows.length - at, mostAtOnce)));
        const values: unknown[] = [];
        for (const row of rows.slice(at, at + count)) values.push(...row);
        const inserted = run(insert.sqlFor(count), values);
        if (inserted !== count) throw new Error(`a row of ${insert.table} was there already`);
        at += count;
      }
    }
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
