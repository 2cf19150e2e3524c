import { createApp, createKey, createStore, listen, openStorage } from '../src/service/index.ts';

/** Serves a new store for bench/service.mjs until it is killed. */
export async function serve(database: string, maxGroup: number) {
  const storage = await openStorage(database, { maxGroup });
  const { id: storeId } = await createStore(storage, { name: 'Bench' });
  const { key } = await createKey(storage, { storeId, preset: 'owner' });
  const app = createApp({ storage, version: 'bench', rateLimit: null });
  const { origin } = await listen(app, { host: '127.0.0.1', port: 0 });
  return { origin, storeId, key };
}
