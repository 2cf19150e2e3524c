import * as z from 'zod/mini';
import { described, ifSet, lenientObject, named, textField } from './fields.ts';

/** How many items a page has at most. */
export const maxPageSize = 100;

/** How many items a page has unless the client asks for another number. */
export const pageSize = 50;

/** The query of an operation that lists: where a page begins, how long it is, and what it leaves out. */
export function pageQuery<Filters extends Record<string, z.ZodMiniType>>(filters: Filters) {
  return z.looseObject({
    ...filters,
    limit: z.optional(
      described(z.int().check(z.minimum(1), z.maximum(maxPageSize)), 'Number of items on a page', {
        remark: `1 to ${maxPageSize}, by default ${pageSize}`,
      }),
    ),
    after: z.optional(textField('Where the page begins', { remark: '`next` of the page before' })),
  });
}

/** A page of a list. Its name in openapi.json is the item's and `Page`. */
export function pageOf<Item extends z.ZodMiniType>(item: Item, name: string, description: string) {
  return named(
    lenientObject({
      items: z.array(item),
      next: ifSet(textField('Where the next page begins, for `after`. The last page has none.')),
    }),
    `${name}Page`,
    description,
  );
}
