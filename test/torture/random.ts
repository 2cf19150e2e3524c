/** Random choices that are the same for the same seed. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** One of the items; each comes with its weight. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
}

/** mulberry32: small, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[integer(0, items.length - 1)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    weighted(items) {
      let rest = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        rest -= weight;
        if (rest < 0) return item;
      }
      return pick(items)[1];
    },
  };
}
