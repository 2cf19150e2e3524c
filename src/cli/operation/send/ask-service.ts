import { asObject, isObject } from '../../../base/json.ts';
import { helpTimeoutMs } from '../../../client/key-answers.ts';
import type { Applied, Outcome } from '../../../client/outcome/outcome.ts';
import { canBeAsked } from '../../../client/response/can-be-asked.ts';
import { canonicalId, type Operation } from '../../../contract/operation.ts';
import { maxPageSize } from '../../../contract/pages.ts';
import type { Connection } from '../../command/connection.ts';
import type { Session } from '../../command/session.ts';
import { sendOptions, storeWaitOrNone } from './read.ts';

/** A read of what this repository's service adds to the contract. */
export interface ServiceRead {
  readonly operation: Operation;
  /** Path parameters other than the store id. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The key of the change that it helps: then the response says whether the service applies it once. */
  readonly idempotencyKey?: string;
}

/** Asks the service. Null if it cannot be asked this. With `helps`, there is one attempt. */
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
    // What it says about the key is about the change, so it must not be the response to an earlier request.
    ownConnection: idempotencyKey !== undefined,
    parameters: { ...parameters, storeId },
    query,
    body: null,
  });
  return canBeAsked(operation, outcome) ? outcome : null;
}

/**
 * As {@link askService}, for a read that only helps a change or a question: null also where it fails. What a service refuses that
 * says `reads` is an answer: that an object does not exist, for example.
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

/** Part of a list. */
export interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Where the next page begins; null after the last. */
  readonly next: string | null;
}

/** The page in a response, or null if it has none. */
export function readPage({ body }: Pick<Applied, 'body'>): ListPage | null {
  const { items, next } = asObject(body);
  if (!Array.isArray(items) || !items.every(isObject)) return null;
  return { items, next: typeof next === 'string' && next !== '' ? next : null };
}

/** The first page of a list, to choose from. Null if the service cannot be asked, or does not answer now. */
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
  return page && fitting(page.items, query);
}

/** The items that fit the filters: a service may not know one, and then lists all. Ids fit in any letter case. */
export function fitting(items: ListPage['items'], query: ServiceRead['query'] = {}): ListPage['items'] {
  const isSame = (value: unknown, wanted: string) =>
    typeof value === 'string' && canonicalId(value) === canonicalId(wanted);
  return items.filter((item) =>
    Object.entries(query).every(([name, wanted]) => item[name] === undefined || isSame(item[name], wanted)),
  );
}
