/** What is asked of the two connections to an embedded database. */
export interface VersionSources {
  /** Another one after every commit, whoever made it. */
  readonly any: () => Promise<number>;
  /** Another one after every commit but our own; null when it cannot be told. */
  readonly others: () => number | null;
  /** Number of our own statements so far that may have changed a table. */
  readonly changesIn: (table: string) => number;
}

/** Numbers that are other ones once what they stand for may not be as before. */
export interface Versions {
  ofAll(): Promise<number>;
  ofTable(table: string): Promise<number>;
  /** To be called after each commit of our own, before anybody is told of it. */
  onCommit(): void;
}

interface TableVersion {
  version: number;
  changes: number;
}

export function createVersions({ any, others, changesIn }: VersionSources): Versions {
  const tables = new Map<string, TableVersion>();
  let ofAll: number | undefined;
  let ofOthers: number | null = null;
  let changesByOthers = 0;
  const askOncePerTurn = oncePerTurn(any);

  async function look(): Promise<number> {
    const current = await askOncePerTurn.ask();
    if (current !== ofAll) {
      const now = others();
      // Where it cannot be told whose commit it was, somebody else's.
      if (now !== ofOthers) changesByOthers += 1;
      if (now !== null) ofOthers = now;
      ofAll = current;
    }
    return current;
  }

  return {
    ofAll: look,
    async ofTable(table) {
      await look();
      // What has been changed so far may not have been committed.
      const known = tables.get(table) ?? { version: 0, changes: -1 };
      tables.set(table, known);
      return changesByOthers + known.version;
    },
    onCommit() {
      for (const [table, known] of tables) {
        const changes = changesIn(table);
        if (changes !== known.changes) known.version += 1;
        known.changes = changes;
      }
      askOncePerTurn.forget();
    },
  };
}

/**
 * Asks once for all who ask in one turn of the event loop, or until it is told to forget. What they ask for came in
 * before the turn began, so nobody can have been told meanwhile of a commit of another process that is missed.
 */
function oncePerTurn<Result>(ask: () => Promise<Result>): { ask(): Promise<Result>; forget(): void } {
  let asked: Promise<Result> | undefined;
  const forget = () => {
    asked = undefined;
  };
  return {
    ask() {
      if (asked === undefined) {
        asked = ask();
        setImmediate(forget);
      }
      return asked;
    },
    forget,
  };
}
