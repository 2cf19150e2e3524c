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
  const seen = new Set(next === null ? [] : [next]);
  do {
    const query = {
      ...filters,
      limit: String(Math.min(maxPageSize, limit - items.length)),
      ...(next !== null && { after: next }),
    };
    const outcome = await askService(session, target, { operation: request.operation, query });
    if (outcome === null) return null;
    const page = readPage(expectApplied(run, outcome, null));
    // A list whose pages lead back, or whose pages are empty and go on, would be read forever.
    const leadsOn = page?.next == null || (page.items.length > 0 && !seen.has(page.next));
    if (page === null || !leadsOn) throw unreadableResponse(request.operation);
    if (page.next !== null) seen.add(page.next);
    // A service that does not know a filter lists all items.
    items.push(...fitting(request.operation, page.items, filters));
    next = page.next;
  } while (next !== null && items.length < limit);
  return { items, next };
}
