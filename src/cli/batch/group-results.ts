import { type BatchWords, countItems, type ItemResult } from './item-result.ts';

/** Items of a batch with the same result. */
export interface ResultGroup<Item> {
  readonly items: readonly Item[];
  readonly result: ItemResult;
}

/** Up to so many items with the same reason have a line each. */
const maxApart = 3;

/** Puts items with the same outcome and reason together, so that a reason is said once, however many have it. */
export function groupByReason<Item>(
  ended: readonly { readonly item: Item; readonly result: ItemResult }[],
): ResultGroup<Item>[] {
  const groups = new Map<string, { item: Item; result: ItemResult }[]>();
  for (const one of ended) {
    const key = JSON.stringify([one.result.outcome, one.result.message]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first !== undefined && group.length > maxApart && first.result.message !== ''
      ? [{ items: group.map(({ item }) => item), result: first.result }]
      : group.map(({ item, result }) => ({ items: [item], result }));
  });
}

/** `36 posts: a.md, b.md, c.md and 33 more`. */
export function nameGroup(names: readonly string[], words: BatchWords): string {
  return `${countItems(names.length, words)}: ${nameSome(names)}`;
}

/** `a.md, b.md, c.md and 33 more`. */
export function nameSome(names: readonly string[]): string {
  const rest = names.length - maxApart;
  return `${names.slice(0, maxApart).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The reason of one item with what only this item has. */
export function messageWithDetail({ message, detail }: Pick<ItemResult, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message} (${detail})`;
}
