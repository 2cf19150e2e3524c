import type { Storage } from './core/storage.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import { migrate } from './migrate.ts';
import { isPostgresLocation } from './postgres/connection-string.ts';

export interface StorageOptions {
  /** How long to wait while another process holds a lock. Default: 5 s. */
  readonly busyTimeoutMs?: number;
  /** Connections to PostgreSQL. Default: 10. */
  readonly poolSize?: number;
  /** Who runs commands on it. Default: the user of this process. */
  readonly operator?: string | undefined;
}

/**
 * Opens the database at a file path, `:memory:` or a PostgreSQL connection string, and creates or migrates its tables.
 * Any number of processes may have one open. Rejects with a StorageBusyError, a NewerDatabaseError, a
 * ForeignDatabaseError, a DatabaseSetupError, or with the error of the file system or the engine.
 */
export async function openStorage(location: string, options: StorageOptions = {}): Promise<Storage> {
  const { busyTimeoutMs = 5_000, poolSize = 10, operator } = options;
  let storage: Storage;
  if (isPostgresLocation(location)) {
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    storage = await openPostgres(location, busyTimeoutMs, poolSize);
  } else {
    storage = await openEmbedded(location, busyTimeoutMs);
  }
  try {
    await migrate(storage);
    return { ...storage, operator };
  } catch (error) {
    await storage.close();
    throw error;
  }
}
