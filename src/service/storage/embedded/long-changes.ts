import type { Locks, LongWork } from '../core/storage.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

/** On this engine changes run one after the other, so each has every lock. */
export const everyLock: Locks = {
  claim: async () => true,
  acquireChange: async () => true,
  acquireRestore: async () => true,
};

export interface LongChangeOptions {
  /** Writes. */
  readonly connection: Connection;
  readonly groupCommit: GroupCommit;
  /** Opens another connection to the database. */
  readonly connect: () => Promise<Connection>;
}

export interface LongChanges {
  run<Result>(storeId: string, work: LongWork<Result>): Promise<Result>;
  /** To be called in each other transaction that changes the store, or any if it is not given. */
  noteChange(storeId?: string): void;
  /** Resolves when none is running. */
  idle(): Promise<void>;
}

interface Running {
  readonly storeId: string;
  isFresh: boolean;
}

/** Long changes read on connections of their own, and what they write shares commits with other changes. */
export function createLongChanges({ connection, groupCommit, connect }: LongChangeOptions): LongChanges {
  const running = new Map<Running, Promise<unknown>>();
  const claims = new Set<string>();
  let spare: Connection | undefined;

  async function takeSnapshotConnection(): Promise<Connection> {
    const snapshot = spare;
    spare = undefined;
    return snapshot ?? connect();
  }

  async function start<Result>(own: Running, work: LongWork<Result>): Promise<Result> {
    const claimed: string[] = [];
    const snapshot = await takeSnapshotConnection();
    try {
      // Changes that began before are on disk then, so the snapshot has them.
      const foreignCommits = await groupCommit.write(async () => connection.foreignCommits());
      snapshot.beginRead();
      return await work({
        db: snapshot.db,
        locks: {
          ...everyLock,
          async claim(parts) {
            const name = JSON.stringify([own.storeId, ...parts]);
            if (claims.has(name)) return false;
            claims.add(name);
            claimed.push(name);
            return true;
          },
        },
        save: (write) => groupCommit.write(() => write(connection.db)),
        async finish(write) {
          // The log of the database can be emptied again.
          snapshot.rollback();
          return groupCommit.write(() =>
            write(connection.db, everyLock, own.isFresh && connection.foreignCommits() === foreignCommits),
          );
        },
      });
    } finally {
      for (const name of claimed) claims.delete(name);
      if (snapshot.isInTransaction()) snapshot.rollback();
      if (spare === undefined) spare = snapshot;
      else snapshot.close();
    }
  }

  return {
    run(storeId, work) {
      const own: Running = { storeId, isFresh: true };
      const result = start(own, work).finally(() => running.delete(own));
      running.set(own, result);
      return result;
    },
    noteChange(storeId) {
      for (const one of running.keys()) {
        if (storeId === undefined || storeId === one.storeId) one.isFresh = false;
      }
    },
    async idle() {
      await Promise.allSettled(running.values());
      spare?.close();
    },
  };
}
