const maxEntries = 1_000;

/** Results of reads, kept until the database changes (see `Storage.version`). */
export interface VersionedCache<Result> {
  /** The result under this name for this version, or what `read` answers now. A null version is never cached. */
  get(version: number | null, name: string, read: () => Promise<Result>): Promise<Result>;
}

export function createVersionedCache<Result>(): VersionedCache<Result> {
  const results = new Map<string, Promise<Result>>();
  let current: number | null = null;
  return {
    get(version, name, read) {
      if (version === null) return read();
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
