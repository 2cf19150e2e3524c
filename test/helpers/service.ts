import path from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createApp,
  createKey,
  type ExampleStore,
  listen,
  openStorage,
  type Preset,
  type Storage,
  seedExampleStore,
} from '../../src/service/index.ts';
import { temporaryFolder } from './cli.ts';

export interface TestService {
  readonly origin: string;
  readonly storeId: string;
  readonly apiKey: string;
  readonly databaseFile: string;
  readonly storage: Storage;
  readonly example: ExampleStore;
  makeKey(preset: Preset): Promise<string>;
}

/** Without a limit of requests unless one is given. */
export type ServiceOptions = Partial<Pick<Parameters<typeof createApp>[0], 'rateLimit'>>;

/** The real service on loopback with the example store in a database file of its own, closed after the test. */
export async function startService({ rateLimit = null }: ServiceOptions = {}): Promise<TestService> {
  const databaseFile = path.join(temporaryFolder(), 'service.db');
  const storage = await openStorage(databaseFile);
  const example = await seedExampleStore(storage);
  const { storeId } = example;
  const server = await listen(createApp({ storage, version: 'test', rateLimit }), {
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(async () => {
    await server.close();
    await storage.close();
  });
  const makeKey = async (preset: Preset) => (await createKey(storage, { storeId, preset })).key;
  return {
    origin: server.origin,
    storeId,
    apiKey: await makeKey('owner'),
    databaseFile,
    storage,
    example,
    makeKey,
  };
}
