import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { monotonicMs } from '../../base/clock.ts';
import { additionHeaders } from '../../contract/headers.ts';
import { servedOperations } from '../../contract/operations/operations.ts';
import type { ErrorCode } from '../../contract/problem.ts';
import { describeError, notFound, ServiceError } from '../model/errors.ts';
import { validate } from '../model/validation.ts';
import type { Storage } from '../storage/core/storage.ts';
import { createHealth, type Health } from '../storage/health.ts';
import { createAuthenticator, requireScope } from './authenticate.ts';
import { type ApplyChange, createChanges } from './changes.ts';
import {
  type Content,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  requireJson,
} from './http-message.ts';
import { handlers } from './operation-handlers.ts';
import { toProblem, toServiceError } from './problem.ts';
import { publicRoutes } from './public-routes.ts';
import { createRateLimiter, policyOf, type RateLimit } from './rate-limit.ts';
import { readHandlers } from './read-handlers.ts';
import { keyIn, requireUsableKey } from './request/idempotency-key.ts';
import { parseJsonObject } from './request/json-body.ts';
import { readQuery } from './request/read-query.ts';
import { createRouter, type Route } from './router.ts';

export interface AppOptions {
  readonly storage: Storage;
  /** Of the program, for the OpenAPI document. */
  readonly version: string;
  /** In epoch milliseconds. Default: the system clock. */
  readonly clock?: () => number;
  /** In milliseconds since some moment, for limits and waits. Default: a clock that nobody puts back. */
  readonly elapsed?: () => number;
  /** Gets one record per request, without body and key. */
  readonly log?: (line: object) => void;
  /** Per API key. Default: 10 per second with bursts of 20. Null for no limit. */
  readonly rateLimit?: RateLimit | null;
  /** Default: a new one. */
  readonly health?: Health;
  /** Default: changes are applied on this thread. */
  readonly applyChange?: ApplyChange;
}

/** The service as a function from request to answer, which never rejects. */
export type App = HttpHandler;

const keyHeader = additionHeaders.idempotencyKey.toLowerCase();

/** What load balancers ask for every second: in the log only at its lowest level. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** What the log says of a request besides its response. */
interface Trace {
  route: string;
  /** Why it has failed, if it has. */
  code: ErrorCode | null;
  /** Of a 404: what was asked for. */
  path?: string;
  /** The cause of a 5xx. */
  error?: string;
  storeId: string | null;
  keyId: string | null;
  /** Of the caller (W3C Trace Context). */
  readonly traceparent?: string | undefined;
}

/** What becomes known of a request while it is answered. */
interface Exchange {
  readonly trace: Trace;
  /** Of its response, whether it succeeds or not. */
  readonly headers: Record<string, string>;
}

interface AppRoute extends Route {
  answer(request: HttpRequest, parameters: readonly string[], exchange: Exchange): Promise<Content>;
}

/** Makes the service: the operations of the contract, and the routes that need no key. */
export function createApp(options: AppOptions): App {
  const { storage, version, clock = Date.now, elapsed = monotonicMs, log = () => {} } = options;
  const { rateLimit = { perSecond: 10, burst: 20 } } = options;
  const limiter = rateLimit && createRateLimiter(rateLimit);
  const limitPolicy = rateLimit && policyOf(rateLimit);
  const { applyChange = createChanges(storage) } = options;
  const { health = createHealth(storage) } = options;
  const authenticate = createAuthenticator(storage, elapsed);

  /** The steps run in this order, and the first that refuses the request answers it. */
  async function serve(
    operation: (typeof servedOperations)[number],
    request: HttpRequest,
    [storeId = '', targetId = '']: readonly string[],
    { trace, headers }: Exchange,
  ): Promise<Content> {
    const now = clock();
    const { clientAddress } = request;
    const key = await authenticate({ authorization: request.header('authorization'), clientAddress, now });
    trace.keyId = key.id;
    trace.storeId = key.storeId;
    headers[additionHeaders.scopes] = key.scopes.join(', ');
    if (limitPolicy !== null) headers[additionHeaders.rateLimitPolicy] = limitPolicy;
    limiter?.take(key.id, elapsed());

    if (storeId !== key.storeId) throw notFound('Store', storeId);
    if (targetId.includes('\0')) throw notFound('Id', targetId);
    requireScope(key, operation.service.scope);

    if (operation.class === 'read') {
      const handler = readHandlers[operation.id];
      const query = handler.query && readQuery(handler.query, request.query);
      const { scopes } = key;
      const { read: ofStore } = storage.forStore(storeId);
      return handler.run({ storeId, now, scopes, ofStore, ofAll: storage.read }, { query, targetId });
    }
    const handler = handlers[operation.id];
    const input = await readInput(handler.input, handler.maxBodyBytes, request);
    const response = await applyChange({
      operation: operation.id,
      storeId,
      targetId,
      input,
      ifMatch: request.header('if-match'),
      idempotencyKey: operation.class === 'keyed' ? undefined : requireUsableKey(request.header(keyHeader)),
      actor: key.id,
      now,
      traceparent: trace.traceparent,
    });
    return { ...response, body: handler.complete?.(response.body, input) ?? response.body };
  }

  const find = createRouter<AppRoute>([
    ...servedOperations.map((operation) => ({
      method: operation.method,
      path: operation.path,
      answer: serve.bind(null, operation),
    })),
    ...publicRoutes(health, version),
  ]);

  async function route(request: HttpRequest, exchange: Exchange): Promise<Content> {
    const match = find(request.method, request.path);
    if (match === null) throw notFound('Path', request.path);
    exchange.trace.route = match.path;
    if (match.route !== null) return match.route.answer(request, match.parameters, exchange);
    const headers = { Allow: match.allow };
    if (request.method === 'OPTIONS') return { status: 204, body: null, headers };
    throw new ServiceError('method_not_allowed', `Allowed methods: ${match.allow}`, { headers });
  }

  async function handle(request: HttpRequest): Promise<HttpResponse> {
    const start = performance.now();
    const requestId = randomUUID();
    const { method } = request;
    const traceparent = readTraceparent(request.header('traceparent'));
    const trace: Trace = { route: 'none', code: null, storeId: null, keyId: null, traceparent };
    const fields: Record<string, string> = {
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      [additionHeaders.features]: keyIn(request.header(keyHeader)) === null ? 'reads' : 'reads, keys',
    };
    const { status, body, headers } = await route(request, { trace, headers: fields }).catch(
      (error: unknown) => {
        const refusal = toServiceError(error);
        if (refusal.fault !== null) health.note(refusal.fault);
        const problem = toProblem(refusal, requestId);
        trace.code = problem.code;
        if (problem.status === 404) trace.path = shownPath(request.path);
        if (problem.status >= 500) trace.error = describeError(error);
        return problem;
      },
    );
    log({
      level: probes.has(trace.route) ? 'debug' : status >= 500 ? 'error' : 'info',
      method,
      status,
      ms: Math.round((performance.now() - start) * 1000) / 1000,
      requestId,
      clientAddress: request.clientAddress,
      ...trace,
    });
    if (body !== null) fields['Content-Type'] = 'application/json';
    const content = method === 'HEAD' ? null : body;
    if (content !== null) fields['Content-Length'] = String(Buffer.byteLength(content));
    return { status, headers: Object.assign(fields, headers), body: content };
  }

  return handle;
}

async function readInput<Input>(
  schema: z.ZodType<Input>,
  maxBytes: number,
  request: HttpRequest,
): Promise<Input> {
  requireJson(request);
  return validate(schema, parseJsonObject(await request.readBody(maxBytes)));
}

/** Undefined if it is not what W3C Trace Context defines. */
function readTraceparent(header = ''): string | undefined {
  return /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(header) ? header : undefined;
}

/** A path for the log: of one that is long its beginning, without keys, and only in characters that act on no terminal. */
function shownPath(path: string): string {
  // A letter of a key may be percent-encoded, and its percent sign as well.
  return path
    .slice(0, 300)
    .replace(/(?:s|%(?:25)*[57]3)(?:k|%(?:25)*[46]b)(?:_|%(?:25)*5f)[\w%-]*/gi, 'sk_***')
    .replace(
      /[^ -~]/g,
      (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
    );
}
