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
  const groups = new Map<string, { items: Item[]; result: ItemResult }>();
  for (const { item, result } of ended) {
    const key = JSON.stringify([result.outcome, result.message]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { items: [item], result });
    else group.items.push(item);
  }
  return [...groups.values()].flatMap(({ items, result }) =>
    items.length > maxApart && result.message !== ''
      ? [{ items, result }]
      : items.map((item) => ({ items: [item], result })),
  );
}

/** `36 posts: a.md, b.md, c.md and 33 more`. */
export function nameGroup(names: readonly string[], words: BatchWords): string {
  return `${countItems(names.length, words)}: ${listNames(names)}`;
}

/** `a.md, b.md, c.md and 33 more`. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - maxApart;
  return `${names.slice(0, maxApart).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The reason of one item with what only this item has. */
export function messageWithDetail({ message, detail }: Pick<ItemResult, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message} (${detail})`;
}
