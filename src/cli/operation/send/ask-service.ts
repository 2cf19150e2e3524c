import { asObject, isObject } from '../../../base/json.ts';
import { helpTimeoutMs } from '../../../client/key-answers.ts';
import type { Applied, Outcome } from '../../../client/outcome/outcome.ts';
import { canBeAsked } from '../../../client/response/can-be-asked.ts';
import { fitting } from '../../../contract/filters.ts';
import type { Operation } from '../../../contract/operation.ts';
import { maxPageSize } from '../../../contract/pages.ts';
import type { Connection } from '../../command/connection.ts';
import type { Session } from '../../command/session.ts';
import { sendOptions, storeWaitOrNone } from './read.ts';

/** A read that this service has beyond the contract. */
export interface ServiceRead {
  readonly operation: Operation;
  /** Path parameters other than the store id. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The key of the change that follows the read. The response then says whether the service applies this key once. */
  readonly idempotencyKey?: string;
}

/** Sends a read. Null if the service does not have this read. With `helps`, there is one attempt only. */
export async function askService(
  session: Session,
  { client, storeId }: Connection,
  { operation, parameters, query, idempotencyKey }: ServiceRead,
  { helps = false } = {},
): Promise<Outcome | null> {
  client.pause(await storeWaitOrNone(session));
  const options = sendOptions(session);
  const timeoutMs = Math.min(options.timeoutMs ?? helpTimeoutMs, helpTimeoutMs);
  const outcome = await client.call(operation, {
    ...options,
    ...(helps && { once: true, timeoutMs }),
    idempotencyKey,
    // A read with the key of a change must not get the response to an earlier request, which says nothing about this key.
    ownConnection: idempotencyKey !== undefined,
    parameters: { ...parameters, storeId },
    query,
    body: null,
  });
  return canBeAsked(operation, outcome) ? outcome : null;
}

/**
 * As {@link askService}, for a read that a command can do without. Null also if the read fails. A refusal by a service with `reads` is
 * returned: it says, for example, that the object does not exist.
 */
export async function askForHelp(
  session: Session,
  target: Connection,
  question: ServiceRead,
): Promise<Extract<Outcome, { kind: 'applied' | 'rejected' }> | null> {
  const outcome = await askService(session, target, question, { helps: true });
  if (outcome?.kind === 'applied') return outcome;
  return outcome?.kind === 'rejected' && outcome.features.includes('reads') ? outcome : null;
}

/** One page of a list. */
export interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Where the next page begins; null for the last page. */
  readonly next: string | null;
}

/** The page in a response, or null if the response is not a page. */
export function readPage({ body }: Pick<Applied, 'body'>): ListPage | null {
  const { items, next } = asObject(body);
  if (!Array.isArray(items) || !items.every(isObject)) return null;
  return { items, next: typeof next === 'string' && next !== '' ? next : null };
}

/** The first page of a list, to choose from, with what fits the filters even if the service does not know them. Null if the service does not have the list, or the read fails. */
export async function listForHelp(
  session: Session,
  target: Connection,
  { operation, query }: ServiceRead,
): Promise<ListPage['items'] | null> {
  const outcome = await askForHelp(session, target, {
    operation,
    query: { ...query, limit: String(maxPageSize) },
  });
  if (outcome?.kind !== 'applied') return null;
  const page = readPage(outcome);
  return page && fitting(operation, page.items, query);
}
