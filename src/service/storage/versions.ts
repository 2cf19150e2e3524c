import { oncePerTurn } from '../turns.ts';

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
  // What they ask for came in before the turn began, so nobody can have been told meanwhile of a commit of another process
  // that is missed.
  const askOthers = oncePerTurn(ofOthers);
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
