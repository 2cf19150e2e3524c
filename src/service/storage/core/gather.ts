import { isEmbedded, type Queries, type Tenant } from './storage.ts';

interface Gathered<Item, Result> {
  readonly items: Item[];
  readonly result: Promise<Result>;
}

/**
 * Changes that run at the same time in one transaction on PostgreSQL share their statements: calls of one turn of the event
 * loop become one. `run` gets the items of all of them, and all get its result. On the embedded engine changes run one
 * after the other, and a statement is no round trip.
 */
export function gather<Item, Result>(
  run: (tenant: Tenant, items: readonly Item[]) => Promise<Result>,
): (tenant: Tenant, item: Item) => Promise<Result> {
  const transactions = new WeakMap<Queries, Map<string, Gathered<Item, Result>>>();
  return (tenant, item) => {
    const { db, storeId } = tenant;
    if (isEmbedded(db)) return run(tenant, [item]);
    const stores = transactions.get(db) ?? new Map<string, Gathered<Item, Result>>();
    transactions.set(db, stores);
    const others = stores.get(storeId);
    if (others !== undefined) {
      others.items.push(item);
      return others.result;
    }
    const items = [item];
    const result = endOfTurn().then(() => {
      stores.delete(storeId);
      return run(tenant, items);
    });
    stores.set(storeId, { items, result });
    return result;
  };
}

/** When everything that waited for the same answer of the database has run. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
