/** Results that are remembered at the same time. */
const mostResults = 1_000;

/** What was read from a database, for as long as nothing in it has changed. See `Storage.version`. */
export interface Memory<Result> {
  /**
   * What `read` has answered under this name for this version of the database, or what it answers now. Nothing is
   * remembered where the version is null.
   */
  recall(version: number | null, name: string, read: () => Promise<Result>): Promise<Result>;
}

export function createMemory<Result>(): Memory<Result> {
  const results = new Map<string, Promise<Result>>();
  let current: number | null = null;
  return {
    recall(version, name, read) {
      if (version === null) return read();
      if (version !== current || results.size >= mostResults) results.clear();
      current = version;
      const known = results.get(name);
      if (known !== undefined) return known;
      // What is read now may be newer than the version, never older: the next version forgets it all the same.
      const result = read();
      results.set(name, result);
      result.catch(() => results.delete(name));
      return result;
    },
  };
}
