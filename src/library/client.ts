import { isObject } from '../base/json.ts';
import { normalizeBaseUrl } from '../client/base-url.ts';
import { openClient as connect } from '../client/client.ts';
import { makeHeaderKey, makeIdempotencyKey } from '../client/idempotency-key.ts';
import { canonicalId, type Operation, pathParameters } from '../contract/operation.ts';
import { additionsByMethod, type MethodName, operationsByMethod } from '../contract/operations/operations.ts';
import type { CallOptions, ClientOptions, Result, Resumed } from './api.ts';
import { checkOptions } from './check-options.ts';
import type { Sender } from './history.ts';

/** Replaced by the version in package.json when the library is built. */
declare const STORECTL_VERSION: string | undefined;

type Input = Readonly<Record<string, unknown>>;

/** The published types are those of the operations: see scripts/library-types.ts. */
type Client = Readonly<
  Record<MethodName, (input?: Input, options?: CallOptions) => Promise<Result<unknown>>>
> & {
  /** Settles open requests to this store, oldest first, sending again what is safe to send again. */
  resume(options?: Pick<CallOptions, 'signal' | 'timeoutMs'>): Promise<Resumed[]>;
  /** Closes idle connections. Later calls throw an Error. */
  close(): Promise<void>;
};

/**
 * A client of one store, with a method for each operation of the contract. A refusal of the service and a failure of the network are
 * outcomes, and never thrown. A method throws a TypeError or RangeError for input and options that cannot be used, an Error after
 * `close()`, and the errors of the history; it has sent nothing then. `createClient` throws a TypeError or RangeError if an option is
 * missing, unknown or cannot be used.
 */
export function createClient(options: ClientOptions): Client {
  checkOptions(options, ['baseUrl', 'storeId', 'apiKey', 'history', 'timeoutMs', 'onRetry']);
  const { baseUrl, apiKey, onRetry } = options;
  const storeId = canonicalId(options.storeId);
  const version = typeof STORECTL_VERSION === 'string' ? STORECTL_VERSION : 'development';
  const client = connect({
    baseUrl,
    apiKey,
    userAgent: `storectl-client/${version}`,
    env: process.env,
    ...(onRetry && { onRetry }),
  });
  const sender = options.history === undefined ? null : (options.history.sender as Sender);
  if (sender !== null) refuseOtherStore(sender, baseUrl, storeId);

  let isClosed = false;

  function assertMayCall(options: CallOptions, known: readonly (keyof CallOptions)[]): void {
    if (isClosed) throw new Error('the client is closed');
    checkOptions(options, known);
  }

  const limits = ({ signal, timeoutMs = options.timeoutMs }: CallOptions) => ({ signal, timeoutMs });

  async function call(operation: Operation, input: Input, call: CallOptions): Promise<Result<unknown>> {
    assertMayCall(call, ['signal', 'timeoutMs', 'ifMatch', 'idempotencyKey', 'fresh', 'allowDuplicate']);
    if (!isObject(input)) throw new TypeError('the input must be an object, such as { disputeId: … }');
    const { parameters, query, body } = split(operation, input);
    const key = keyOf(operation, body, call);
    if (sender !== null && operation.class !== 'read') {
      const { ifMatch, idempotencyKey, fresh, allowDuplicate } = call;
      return sender.change(
        { operation, parameters, body, ifMatch, idempotencyKey, fresh, allowDuplicate },
        { client, ...limits(call) },
      );
    }
    if (sender !== null) client.pause(await sender.storeWait());
    const isKeyed = operation.class === 'keyed';
    const sent = isKeyed ? { ...body, idempotencyKey: key } : body;
    const outcome = await client.call(operation, {
      ...limits(call),
      ifMatch: call.ifMatch,
      parameters: { ...parameters, storeId },
      query,
      idempotencyKey: isKeyed ? undefined : (key ?? undefined),
      body: sent && JSON.stringify(sent),
    });
    return { ...outcome, idempotencyKey: key, recordId: null, warnings: [] };
  }

  const methods = Object.entries({ ...operationsByMethod, ...additionsByMethod }).map(([name, operation]) => [
    name,
    (input: Input = {}, options: CallOptions = {}) => call(operation, input, options),
  ]);
  return {
    ...(Object.fromEntries(methods) as Pick<Client, MethodName>),
    async resume(options = {}) {
      assertMayCall(options, ['signal', 'timeoutMs']);
      if (sender === null) throw new RangeError('resume needs a history: createClient({ history, … })');
      return sender.resume({ client, ...limits(options) });
    },
    close() {
      isClosed = true;
      return client.close();
    },
  };
}

/** The key of a change: of its input, of the options, or a new one. Null for a read. Throws a TypeError for two keys. */
function keyOf(
  { class: how }: Operation,
  body: Input | null,
  { idempotencyKey }: CallOptions,
): string | null {
  if (how === 'read' && idempotencyKey !== undefined) throw new TypeError('a read takes no idempotencyKey');
  if (how === 'read') return null;
  if (how !== 'keyed') return idempotencyKey ?? makeHeaderKey();
  const own = body?.idempotencyKey;
  if (own !== undefined && idempotencyKey !== undefined)
    throw new TypeError('idempotencyKey is given twice: in the input and in the options');
  return typeof own === 'string' ? own : (idempotencyKey ?? makeIdempotencyKey());
}

/** Throws a TypeError or RangeError for the history of another store. */
function refuseOtherStore({ store }: Sender, baseUrl: string, storeId: string): void {
  if (store.baseUrl === normalizeBaseUrl(baseUrl) && store.storeId === storeId) return;
  throw new TypeError(`the history belongs to store ${store.storeId} at ${store.baseUrl}`);
}

/** Path parameters, query and body of an input. Throws a TypeError if one of them is not what the contract says. */
function split(
  operation: Operation,
  input: Input,
): {
  parameters: Record<string, string>;
  query?: Record<string, string>;
  body: Record<string, unknown> | null;
} {
  const parameters: Record<string, string> = {};
  const rest = { ...input };
  for (const name of pathParameters(operation)) {
    if (name === 'storeId') continue;
    const id = rest[name];
    if (typeof id !== 'string' || id === '') throw new TypeError(`${name} must be a non-empty string`);
    parameters[name] = id;
    delete rest[name];
  }
  if (operation.isAddition) return { parameters, query: queryOf(operation, rest), body: null };
  if (operation.body === null) return { parameters, body: null };
  const whole = operation.class === 'keyed' ? { idempotencyKey: 'made later', ...rest } : rest;
  assertFits(operation.body, whole);
  return { parameters, body: rest };
}

/** The parameters that are given, as text. An unknown one is a typing error, which a service would refuse. */
function queryOf({ query }: Operation, input: Input): Record<string, string> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  for (const [name] of given) {
    if (!Object.hasOwn(query?.shape ?? {}, name))
      throw new TypeError(`${name} is not a parameter of this read`);
  }
  if (query !== undefined) assertFits(query, input);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function assertFits(schema: NonNullable<Operation['query']>, value: Input): void {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue !== undefined) throw new TypeError(`${issue.path.join('.')} ${issue.message}`);
}
