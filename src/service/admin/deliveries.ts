import { quietHoursEnd } from '../delivery/quiet-hours.ts';
import { notFound, ServiceError } from '../model/errors.ts';
import { documentOf } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import type { Queries, Storage } from '../storage/core/storage.ts';
import {
  type DeliveryStatus,
  listDeliveries as listRows,
  listStoresWith,
  reviveDead,
} from '../storage/queries/deliveries.ts';
import { findSettings } from '../storage/queries/settings.ts';

/** A pending delivery is held during the quiet hours of its store. */
export const deliveryStates = ['pending', 'held', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryQuery {
  /** Default: all stores. */
  readonly storeId?: string | undefined;
  readonly state?: DeliveryState | undefined;
  readonly limit: number;
}

export interface ListedDelivery {
  readonly id: string;
  readonly storeId: string;
  readonly eventId: string;
  /** Type of the event. */
  readonly event: string;
  readonly endpointId: string;
  /** Name of the endpoint. */
  readonly endpoint: string;
  /** Masked. */
  readonly url: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: string;
  /** Null when it will not be tried again. */
  readonly nextAttemptAt: string | null;
  /** When it was delivered or became dead. */
  readonly settledAt: string | null;
  readonly lastError: string | null;
}

/** Newest first. `now` is in epoch milliseconds. */
export async function listDeliveries(
  storage: Storage,
  { storeId, state, limit }: DeliveryQuery,
  now = Date.now(),
): Promise<ListedDelivery[]> {
  return storage.read(async (db) => {
    const quietUntil = await findQuietStores(db, now);
    const quiet = [...quietUntil.keys()];
    const rows = await listRows(db, {
      storeId,
      limit,
      status: state === 'held' ? 'pending' : state,
      ...(state === 'held' && { among: quiet }),
      ...(state === 'pending' && { except: quiet }),
    });
    return rows.map(({ status, ...row }) => {
      const heldUntil = status === 'pending' ? quietUntil.get(row.storeId) : undefined;
      return {
        ...row,
        state: heldUntil === undefined ? (status as DeliveryStatus) : 'held',
        nextAttemptAt: status === 'pending' ? (heldUntil ?? row.nextAttemptAt) : null,
      };
    });
  });
}

/** For each store in its quiet hours, when they end. */
async function findQuietStores(db: Queries, now: number): Promise<Map<string, string>> {
  const quietUntil = new Map<string, string>();
  for (const storeId of await listStoresWith(db, 'pending')) {
    const { quietHours } = documentOf((await findSettings({ db, storeId }))?.document);
    const end = quietHoursEnd(quietHours, now);
    if (end !== null) quietUntil.set(storeId, timestamp(end));
  }
  return quietUntil;
}

/**
 * Makes a dead delivery pending and due. Rejects with a ServiceError: `not_found`, or `state_conflict` if it is not dead.
 */
export async function retryDelivery(
  storage: Storage,
  id: string,
  storeId?: string,
  now = Date.now(),
): Promise<void> {
  await storage.write(async (db) => {
    const [delivery] = await listRows(db, { id, limit: 1 });
    if (delivery === undefined || (storeId !== undefined && delivery.storeId !== storeId))
      throw notFound('Delivery', id);
    const revived = await reviveDead({ db, storeId: delivery.storeId }, timestamp(now), id);
    if (revived === 0)
      throw new ServiceError('state_conflict', `Delivery ${id} is ${delivery.status}, not dead.`);
  });
}

/** Makes all dead deliveries, of one store or of all, pending and due. Returns their number. */
export async function retryAllDead(storage: Storage, storeId?: string, now = Date.now()): Promise<number> {
  return storage.write(async (db) => {
    let revived = 0;
    for (const id of storeId === undefined ? await listStoresWith(db, 'dead') : [storeId]) {
      revived += await reviveDead({ db, storeId: id }, timestamp(now), undefined);
    }
    return revived;
  });
}
