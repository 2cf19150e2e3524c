import path from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import type { ExampleStore } from '../../service/index.ts';
import { quoteCommand } from '../core/command-text.ts';
import { localStateError } from '../core/errors.ts';
import { version } from '../core/version.ts';

/** This repository's service, running inside this process with an example store. */
export interface Demo {
  readonly origin: string;
  readonly apiKey: string;
  readonly example: ExampleStore;
  close(): Promise<void>;
}

/** Minutes for which the key of a demo command is valid. Only this process knows it. */
const keyMinutes = 60;

/** How long a demo command waits for others that write to the same data, in milliseconds: a person waits, not a server. */
const defaultBusyTimeoutMs = 20_000;

/**
 * Starts the demo service on a free loopback port, with its data in `directory`. Several processes may share the data:
 * each has its own port and key.
 */
export async function startDemo(directory: string, busyTimeoutMs = defaultBusyTimeoutMs): Promise<Demo> {
  try {
    return await startService(directory, busyTimeoutMs);
  } catch (error) {
    // Made in the bundle of the service, which is loaded on demand.
    const { advice } = error as { readonly advice?: string };
    throw localStateError(
      'demo_unusable',
      `cannot use the demo store in ${directory}: ${describeSystemError(error)}`,
      advice ??
        `set STORECTL_STATE_DIR to a writable directory, or run ${quoteCommand('demo', 'reset')} to create a new one`,
    );
  }
}

async function startService(directory: string, busyTimeoutMs: number): Promise<Demo> {
  const service = await import('../../service/index.ts');
  const storage = await service.openStorage(path.join(directory, 'store.db'), { busyTimeoutMs });
  try {
    const example = await service.seedExampleStore(storage);
    await service.deleteExpiredKeys(storage);
    const { key, id } = await service.createKey(storage, {
      storeId: example.storeId,
      preset: 'owner',
      label: 'demo command',
      expiresInSeconds: keyMinutes * 60,
      kind: 'demo',
    });
    const app = service.createApp({ storage, version, rateLimit: null });
    const server = await service.listen(app, { host: '127.0.0.1', port: 0 });
    return {
      origin: server.origin,
      apiKey: key,
      example,
      async close() {
        // The database is closed in any case: while it is open, the process does not end.
        try {
          await server.close();
          await service.revokeKey(storage, id);
        } finally {
          await storage.close();
        }
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
