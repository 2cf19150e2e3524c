/**
 * Waits until a turn of the event loop has brought no more: those that are on their way together share what costs more
 * than their wait. `count` answers how many there are, `most` is how many there may be before the wait ends.
 */
export async function gather(count: () => number, most: number): Promise<void> {
  let known: number;
  do {
    known = count();
    await new Promise((resolve) => setImmediate(resolve));
  } while (count() > known && count() < most);
}

/** Makes something once for all who ask in one turn of the event loop. */
export function oncePerTurn<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined;
  return () => {
    if (made === undefined) {
      setImmediate(() => {
        made = undefined;
      });
      made = { result: make() };
    }
    return made.result;
  };
}
