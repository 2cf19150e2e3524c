import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import { findOperation } from '../../contract/operations/operations.ts';
import { maxPageSize } from '../../contract/pages.ts';
import { rememberObjects } from '../command/known.ts';
import type { Session } from '../command/session.ts';
import { CliError } from '../core/errors.ts';
import { askForHelp, readPage } from './send/ask-service.ts';

/** How many pages of a list are searched for an id. */
const maxPages = 10;

/** Remembers what the service lists of a kind. Returns whether it has listed all. */
export async function rememberList(session: Session, kind: ObjectKind): Promise<boolean> {
  const operation = findOperation(kindOf(kind).list.join('.'));
  const target = operation && (await connectIfPossible(session));
  if (operation === undefined || !target) return false;
  const items: unknown[] = [];
  let next: string | null = null;
  let page = 0;
  do {
    const query = { limit: String(maxPageSize), ...(next !== null && { after: next }) };
    const outcome = await askForHelp(session, target, { operation, query });
    const read = outcome?.kind === 'applied' ? readPage(outcome) : null;
    if (read === null) break;
    items.push(...read.items);
    page += 1;
    next = read.next;
  } while (next !== null && page < maxPages);
  await rememberObjects(session, kind, items);
  return page > 0 && next === null;
}

/** Null without a store or a key. That they are missing is said later, with all else that is missing. */
async function connectIfPossible(session: Session) {
  try {
    return await session.connect();
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}
