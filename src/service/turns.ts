/**
 * Makes something once for all who ask in one turn of the event loop. What came in before the turn began is worked on
 * in it.
 */
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
