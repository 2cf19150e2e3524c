import { gather } from './gather.ts';

/** Numbers that are other ones once what they stand for may not be as before. They only grow. */
export interface Versions {
  ofAll(): Promise<number>;
  ofTable(table: string): Promise<number>;
  /** To be called after each commit of our own, before anybody is told of it. */
  onCommit(): void;
}

export interface VersionSources {
  /** Grows with every commit but our own. */
  readonly ofOthers: () => Promise<number>;
  /** Number of our own statements so far that may have changed a table. */
  readonly changesIn: (table: string) => number;
}

interface TableVersion {
  commits: number;
  changes: number;
}

export function createVersions({ ofOthers, changesIn }: VersionSources): Versions {
  const askOthers = onceTogether(ofOthers);
  const tables = new Map<string, TableVersion>();
  let commits = 0;
  return {
    ofAll: async () => (await askOthers()) + commits,
    async ofTable(table) {
      // What has been changed so far may not have been committed.
      const known = tables.get(table) ?? { commits: 0, changes: -1 };
      tables.set(table, known);
      return (await askOthers()) + known.commits;
    },
    onCommit() {
      commits += 1;
      for (const [table, known] of tables) {
        const changes = changesIn(table);
        if (changes !== known.changes) known.commits += 1;
        known.changes = changes;
      }
    },
  };
}

/** How many ask at once at most: the first of them waits for the last. */
const mostTogether = 64;

/**
 * Asks once for all who ask together, after the last of them has asked: so nobody gets an answer from before. From then
 * on they go through each step together, and are answered together, which takes a tenth less than one by one.
 */
function onceTogether<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let waiting = 0;
  let asked: Promise<Result> | undefined;
  const askTogether = async () => {
    await gather(() => waiting, mostTogether);
    asked = undefined;
    waiting = 0;
    return ask();
  };
  return () => {
    waiting += 1;
    asked ??= askTogether();
    return asked;
  };
}
