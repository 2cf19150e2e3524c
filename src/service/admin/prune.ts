import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../model/errors.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import type { Storage, Tenant } from '../storage/core/storage.ts';
import { countRows, deleteSomeRows, listDeletedStores } from '../storage/operator/objects.ts';
import { deleteOld, findOld, type Prunable, type PrunePage } from '../storage/operator/prune.ts';
import { countExpiredResponses, deleteExpiredResponses } from '../storage/queries/idempotency-keys.ts';
import { deleteUnusedPosts } from '../storage/queries/posts.ts';
import { listStoreIds } from '../storage/queries/stores.ts';

import { logOperation } from './operate.ts';

export const defaultRetentionDays = 90;

export interface RetentionOptions {
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
export type Pruned = Record<Prunable | 'answers' | 'deleted', number>;

/** That one step removes. */
const maxRows = 500;

/** Between two steps, for other changes. */
const pauseMs = 5;

/**
 * Removes what is older than its retention: deliveries that have arrived, read notifications, keys since they expired, and
 * the responses kept for idempotency keys, which have an expiry of their own. Runs in small transactions.
 */
export async function prune(storage: Storage, options: RetentionOptions): Promise<Pruned> {
  const { retentionDays, backups = false, dryRun = false, signal } = options;
  const pruned: Pruned = { deliveries: 0, notifications: 0, keys: 0, backups: 0, answers: 0, deleted: 0 };
  const now = timestamp(Date.now());
  const before = timestamp(Date.now() - daysInMs(retentionDays));
  const kinds: Prunable[] = ['deliveries', 'notifications', 'keys'];
  if (backups) kinds.push('backups');
  let isOver = false;

  /** Removes rows and returns how many, unless it is over. */
  async function step(remove: () => Promise<number>): Promise<number> {
    await sleep(pauseMs);
    if (signal?.aborted) isOver = true;
    return isOver ? 0 : remove();
  }

  /** Steps until one removes nothing. Answers how many rows were removed. */
  async function removeAll(remove: () => Promise<number>): Promise<number> {
    let total = 0;
    for (let removed = await step(remove); removed > 0; removed = await step(remove)) total += removed;
    return total;
  }

  /** A step in a change of the store. */
  function ofStore(storeId: string, remove: (tenant: Tenant) => Promise<number>): () => Promise<number> {
    return () => storage.forStore(storeId).change((db) => remove({ db, storeId }));
  }

  async function pruneKind(storeId: string, kind: Prunable): Promise<void> {
    for (let after: string | null = ''; after !== null && !isOver; ) {
      const from = { after, before };
      const page: PrunePage = await storage.read((db) => findOld({ db, storeId }, kind, from));
      if (dryRun) pruned[kind] += page.old.length;
      else if (page.old.length > 0) {
        pruned[kind] += await step(ofStore(storeId, (tenant) => deleteOld(tenant, kind, page.old)));
      }
      after = page.next;
    }
  }

  async function pruneRest(storeId: string): Promise<void> {
    if (dryRun) {
      pruned.answers += await storage.read((db) => countExpiredResponses({ db, storeId }, now));
      return;
    }
    // Posts that neither the store nor one of its backups has any more are not counted.
    await removeAll(ofStore(storeId, (tenant) => deleteUnusedPosts(tenant, maxRows)));
    pruned.answers += await removeAll(ofStore(storeId, (tenant) => deleteExpiredResponses(tenant, now)));
  }

  const stores = await storage.read(listStoreIds);
  for (const id of options.storeId === undefined ? stores : [options.storeId]) {
    for (const kind of kinds) await pruneKind(id, kind);
    await pruneRest(id);
    if (isOver) break;
  }
  if (options.storeId !== undefined) return pruned;
  for (const storeId of await storage.read(listDeletedStores)) {
    pruned.deleted += dryRun
      ? await storage.read((db) => countRows({ db, storeId }))
      : await removeAll(() => storage.write((db) => deleteSomeRows({ db, storeId }, maxRows)));
  }
  return pruned;
}

/** {@link prune} for an operator, in `operator_log` if it removed something, also if it was stopped. */
export async function pruneByHand(storage: Storage, options: RetentionOptions): Promise<Pruned> {
  const { storeId = null, backups = false, dryRun = false } = options;
  const pruned = await prune(storage, options);
  const total = Object.values(pruned).reduce((sum, count) => sum + count, 0);
  if (!dryRun && total > 0) {
    const command = backups ? 'prune --backups' : 'prune';
    await storage.write((db) => logOperation(storage, db, command, storeId, null));
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
