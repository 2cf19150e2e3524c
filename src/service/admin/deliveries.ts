import { notFound, ServiceError } from '../model/errors.ts';
import { timestamp } from '../model/time.ts';
import type { Storage } from '../storage/core/storage.ts';
import {
  type DeliveryFilter,
  type DeliveryStatus,
  findDeliveries as listRows,
  listStoresWithDead,
  reviveDead,
} from '../storage/queries/deliveries.ts';
import { logOperation } from './operate.ts';

/** A pending delivery is held when it waits for the end of quiet hours. */
export const deliveryStates = ['pending', 'held', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number];

/** Newest first, with masked URLs. `nextAttemptAt` is null when it will not be tried again. */
export async function listDeliveries(storage: Storage, query: DeliveryFilter) {
  return (await storage.read((db) => listRows(db, query))).map(({ status, held, dueAt, ...row }) => {
    const state: DeliveryState = status === 'pending' && held === 1 ? 'held' : (status as DeliveryStatus);
    return { ...row, state, nextAttemptAt: status === 'pending' ? dueAt : null };
  });
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
      throw new ServiceError('state_conflict', `Delivery ${id} is ${delivery.status}, not dead`);
    await logOperation(storage, db, 'deliveries retry', delivery.storeId, id);
  });
}

/** Makes all dead deliveries, of one store or of all, pending and due. Returns their number. */
export async function retryAllDead(storage: Storage, storeId?: string, now = Date.now()): Promise<number> {
  return storage.write(async (db) => {
    let revived = 0;
    for (const id of storeId === undefined ? await listStoresWithDead(db) : [storeId]) {
      const count = await reviveDead({ db, storeId: id }, timestamp(now), undefined);
      if (count > 0) await logOperation(storage, db, 'deliveries retry', id, null);
      revived += count;
    }
    return revived;
  });
}
