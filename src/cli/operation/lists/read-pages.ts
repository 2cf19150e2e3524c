import { fitting } from '../../../contract/filters.ts';
import { maxPageSize } from '../../../contract/pages.ts';
import type { Run } from '../call/run.ts';
import { expectApplied, unreadableResponse } from '../result/expect-applied.ts';
import { askService, type ListPage, readPage } from '../send/ask-service.ts';

/** The part of a list to read. */
interface Wanted {
  /** The filters of the query. */
  readonly filters: Readonly<Record<string, string>>;
  /** Maximum number of items. */
  readonly limit: number;
  /** The `next` of an earlier page, where reading begins. */
  readonly after?: string | undefined;
}

/** The items of a list, page by page. Null if the service does not have the list. Throws the user's error for a request that fails. */
export async function readPages(run: Run, { filters, limit, after }: Wanted): Promise<ListPage | null> {
  const { session, target, request } = run;
  const items: ListPage['items'][number][] = [];
  let next = after ?? null;
  do {
    const query = {
      ...filters,
      limit: String(Math.min(maxPageSize, limit - items.length)),
      ...(next !== null && { after: next }),
    };
    const outcome = await askService(session, target, { operation: request.operation, query });
    if (outcome === null) return null;
    const page = readPage(expectApplied(run, outcome, null));
    // A page whose `next` is the page itself would be read forever.
    if (page === null || (page.next !== null && page.next === next))
      throw unreadableResponse(request.operation);
    // A service that does not know a filter lists all items.
    items.push(...fitting(request.operation, page.items, filters));
    next = page.next;
  } while (next !== null && items.length < limit);
  return { items, next };
}
