/** Makes the value when it is first asked for, and never again. */
export function memoize<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
