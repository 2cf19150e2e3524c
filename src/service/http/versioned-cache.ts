const maxEntries = 1_000;

/** Results of reads, kept until the database changes (see `Storage.version`). */
export interface VersionedCache<Result> {
  /** The result under this name for this version, or of a read that begins now. A null version is never cached. */
  get(version: number | null, name: string, read: () => Promise<Result>): Promise<Result>;
}

export function createVersionedCache<Result>(): VersionedCache<Result> {
  const results = new Map<string, Promise<Result>>();
  const readTogether = createSharedReads<Result>();
  let current: number | null = null;
  return {
    get(version, name, read) {
      if (version === null) return readTogether(name, read);
      if (version !== current || results.size >= maxEntries) results.clear();
      current = version;
      const known = results.get(name);
      if (known !== undefined) return known;
      // The result may be newer than the version, never older.
      const result = read();
      results.set(name, result);
      result.catch(() => results.delete(name));
      return result;
    },
  };
}

/** Those that ask while a read runs share the next one, which begins after all of them have asked. */
function createSharedReads<Result>() {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<Result>>();
  return (name: string, read: () => Promise<Result>): Promise<Result> => {
    const known = next.get(name);
    if (known !== undefined) return known;
    const result = (async () => {
      await running.get(name);
      next.delete(name);
      const reading = read();
      const over = reading.then(
        () => {},
        () => {},
      );
      running.set(name, over);
      try {
        return await reading;
      } finally {
        if (running.get(name) === over) running.delete(name);
      }
    })();
    next.set(name, result);
    return result;
  };
}
