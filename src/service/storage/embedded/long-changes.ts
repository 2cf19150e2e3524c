import type { Locks, LongWork } from '../core/storage.ts';
import type { Connection } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

/** On this engine transactions run one after the other, so each has every lock. */
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
  /** To be called in each transaction that may change any store. */
  noteChange(): void;
  /** Of another change of the store. */
  locksOf(storeId: string): Locks;
  /** Resolves when none is running. */
  idle(): Promise<void>;
}

interface Running {
  readonly storeId: string;
  /** Whether nothing has changed the store since the snapshot. */
  isFresh: boolean;
  isRestore: boolean;
  /** Whether its content is so long that it was saved in steps. */
  hasSaved: boolean;
  /** Whether other changes of the store are refused. */
  isExclusive: boolean;
}

/** The store has changed since the snapshot. */
class StaleSnapshot extends Error {}

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
    own.isFresh = true;
    const snapshot = await takeSnapshotConnection();
    const endSnapshot = () => {
      if (snapshot.isInTransaction()) snapshot.rollback();
    };
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
          async acquireRestore() {
            own.isRestore = true;
            return true;
          },
        },
        isInSteps: true,
        endSnapshot,
        save(write) {
          own.hasSaved = true;
          return groupCommit.write(() => write(connection.db));
        },
        async finish(write) {
          endSnapshot();
          return groupCommit.write(async () => {
            const isFresh = own.isFresh && connection.foreignCommits() === foreignCommits;
            if (!isFresh && own.isRestore && own.hasSaved && !own.isExclusive) throw new StaleSnapshot();
            return write(connection.db, everyLock, isFresh);
          });
        },
      });
    } finally {
      for (const name of claimed) claims.delete(name);
      endSnapshot();
      if (spare === undefined) spare = snapshot;
      else snapshot.close();
    }
  }

  /** A long restore would make the others wait if it had to begin again at its end. It begins again here, undisturbed. */
  async function startAgainIfStale<Result>(own: Running, work: LongWork<Result>): Promise<Result> {
    try {
      return await start(own, work);
    } catch (error) {
      if (!(error instanceof StaleSnapshot)) throw error;
      own.isExclusive = true;
      return start(own, work);
    }
  }

  return {
    run(storeId, work) {
      const own = { storeId, isFresh: true, isRestore: false, hasSaved: false, isExclusive: false };
      const result = startAgainIfStale(own, work).finally(() => running.delete(own));
      running.set(own, result);
      return result;
    },
    noteChange() {
      for (const one of running.keys()) one.isFresh = false;
    },
    locksOf: (storeId) => ({
      ...everyLock,
      async acquireChange() {
        const ofStore = [...running.keys()].filter((one) => one.storeId === storeId);
        if (ofStore.some((one) => one.isExclusive)) return false;
        for (const one of ofStore) one.isFresh = false;
        return true;
      },
    }),
    async idle() {
      await Promise.allSettled(running.values());
      spare?.close();
    },
  };
}
