import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import { type Queries, removeInSteps, type Storage } from '../storage/core/storage.ts';
import { deleteUnfinished, listUnfinished } from '../storage/queries/backups.ts';
import { countExpiredAnswers, deleteExpiredAnswers } from '../storage/queries/idempotency-keys.ts';
import { removeUnusedPosts, wasStagedBefore } from '../storage/queries/posts.ts';
import { deleteOld, findOld, type Page, type Prunable } from '../storage/queries/prune.ts';
import { listStores } from './stores.ts';

export const defaultRetentionDays = 90;

export interface PruneOptions {
  readonly retentionDays: number;
  /** Default: all stores. */
  readonly storeId?: string | undefined;
  /** Whether to remove old backups too. Default: no. */
  readonly backups?: boolean;
  /** Counts what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
  /** Stops between two steps. */
  readonly signal?: AbortSignal;
}

/** How many rows were removed. */
export type Pruned = Record<Prunable | 'answers', number>;

/** Whoever makes a backup has finished it by then. */
const unfinishedMs = daysInMs(1);

/** Between two steps, for other changes. */
const pauseMs = 5;

/**
 * Removes what is older than its retention: deliveries that have arrived, read notifications, keys since they expired, and
 * the answers kept for idempotency keys, which have an expiry of their own. Runs in small transactions. On PostgreSQL it
 * ends as soon as another process does the same.
 */
export async function prune(storage: Storage, options: PruneOptions): Promise<Pruned> {
  const { retentionDays, backups = false, dryRun = false, signal } = options;
  const pruned: Pruned = { deliveries: 0, notifications: 0, keys: 0, backups: 0, answers: 0 };
  const now = timestamp(Date.now());
  const before = timestamp(Date.now() - daysInMs(retentionDays));
  const kinds: Prunable[] = ['deliveries', 'notifications', 'keys'];
  if (backups) kinds.push('backups');
  let isOver = false;

  /** Removes rows in a transaction of its own and answers how many. */
  async function step(remove: (db: Queries) => Promise<number>): Promise<number> {
    await sleep(pauseMs);
    if (signal?.aborted) isOver = true;
    if (isOver) return 0;
    return storage.write(async (db, locks) => {
      if (await locks.claim(['prune'])) return remove(db);
      isOver = true;
      return 0;
    });
  }

  async function pruneKind(storeId: string, kind: Prunable): Promise<void> {
    for (let after: string | null = ''; after !== null && !isOver; ) {
      const page: Page = await findPage(storeId, kind, after);
      if (dryRun) pruned[kind] += page.old.length;
      else if (page.old.length > 0) {
        pruned[kind] += await step((db) => deleteOld({ db, storeId }, kind, page.old));
      }
      after = page.next;
    }
  }

  function findPage(storeId: string, kind: Prunable, after: string): Promise<Page> {
    return storage.read((db) => findOld({ db, storeId }, kind, { after, before }));
  }

  /** Of backups that are removed or were never finished, and of restores that were cut off. */
  async function pruneContent(storeId: string): Promise<void> {
    if (dryRun) return;
    const unfinished = timestamp(Date.now() - unfinishedMs);
    for (const id of await storage.read((db) => listUnfinished({ db, storeId }, unfinished))) {
      await removeInSteps(() => step((db) => deleteUnfinished({ db, storeId }, id)));
    }
    if (await storage.read((db) => wasStagedBefore({ db, storeId }, unfinished))) {
      await removeInSteps(() => step((db) => removeUnusedPosts({ db, storeId })));
    }
  }

  async function pruneAnswers(storeId: string): Promise<void> {
    if (dryRun) {
      pruned.answers += await storage.read((db) => countExpiredAnswers({ db, storeId }, now));
      return;
    }
    pruned.answers += await removeInSteps(() => step((db) => deleteExpiredAnswers({ db, storeId }, now)));
  }

  const stores = (await listStores(storage)).map(({ id }) => id);
  for (const id of options.storeId === undefined ? stores : [options.storeId]) {
    for (const kind of kinds) await pruneKind(id, kind);
    await pruneContent(id);
    await pruneAnswers(id);
    if (isOver) break;
  }
  return pruned;
}

/** The first time is soon, so that a service that is restarted every day prunes too. */
const defaultFirstMs = 10 * 60_000;

export interface PruneSchedule {
  readonly storage: Storage;
  readonly retentionDays: number;
  /** Gets one record per run. */
  readonly log: (line: object) => void;
  /** Until the first run. Default: 10 minutes. */
  readonly firstMs?: number;
}

/** Prunes once a day, but no backups. Await `stop` before closing the storage. */
export function pruneDaily({ storage, retentionDays, log, firstMs = defaultFirstMs }: PruneSchedule) {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    for (let waitMs = firstMs; ; waitMs = daysInMs(1)) {
      // Instances that start together must not prune together.
      await sleep(waitMs * (1 + Math.random() / 10), undefined, { signal: stopping.signal, ref: false });
      try {
        const pruned = await prune(storage, { retentionDays, signal: stopping.signal });
        log({ level: 'info', message: 'Removed expired data.', retentionDays, ...pruned });
      } catch (error) {
        log({ level: 'error', error: describeError(error) });
      }
    }
  }
  const running = run().catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
