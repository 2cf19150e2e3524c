import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import type { ServedOperation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import type { ErrorCode } from '../../contract/problem.ts';
import { busy, describeError, notFound, ServiceError } from '../model/errors.ts';
import { validate } from '../model/validation.ts';
import { ping, type Storage } from '../storage/core/storage.ts';
import { createReference } from './api-reference.ts';
import { createAuthenticator, requireScope } from './authenticate.ts';
import { type ApplyChange, createChanges } from './changes.ts';
import { entityTagOf } from './entity-tag.ts';
import {
  type Content,
  type HttpAnswer,
  type HttpHandler,
  type HttpRequest,
  requireJson,
} from './http-message.ts';
import { parseJsonObject } from './json-body.ts';
import { describeService, type Handler, handlers, ok, type Reply } from './operation-handlers.ts';
import { toProblem } from './problem.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { createRouter, type Route } from './router.ts';

export interface AppOptions {
  readonly storage: Storage;
  /** Of the program, for the OpenAPI document. */
  readonly version: string;
  /** In epoch milliseconds. Default: the system clock. */
  readonly clock?: () => number;
  /** Gets one record per request, without body and key. */
  readonly log?: (line: object) => void;
  /** Per API key. Default: 10 per second with bursts of 20. Null for no limit. */
  readonly rateLimit?: RateLimit | null;
  /** Default: changes are applied on this thread. */
  readonly applyChange?: ApplyChange;
}

/** The service as a function from request to answer, which never rejects. */
export type App = HttpHandler;

/** How long the database may take to answer `/readyz`. */
const maxReadyMs = 1_500;

/** What load balancers ask for every second: in the log only at its lowest level. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** For the log: why the request has failed, if it has. */
interface Failure {
  readonly code: ErrorCode | null;
  /** The cause of a 5xx. */
  readonly error?: string;
}

/** For the log. */
interface Trace {
  route: string;
  keyId: string | null;
  storeId: string | null;
  /** Of the caller (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

interface AppRoute extends Route {
  answer(request: HttpRequest, parameters: readonly string[], trace: Trace): Promise<Content>;
}

/** Makes the service: the 12 operations of the contract, `/healthz`, `/readyz`, `/openapi.json` and `/docs`, which `/` names. */
export function createApp(options: AppOptions): App {
  const { storage, version, clock = Date.now, log = () => {} } = options;
  const { rateLimit = { perSecond: 10, burst: 20 } } = options;
  const limiter = rateLimit && createRateLimiter(rateLimit);
  const { applyChange = createChanges(storage) } = options;
  const authenticate = createAuthenticator(storage);
  const reference = createReference();

  /** The steps run in this order, and the first that refuses the request answers it. */
  async function serve(
    operation: (typeof operations)[number],
    handler: Handler,
    request: HttpRequest,
    [storeId = '', targetId = '']: readonly string[],
    trace: Trace,
  ): Promise<Reply> {
    const now = clock();
    const { clientAddress } = request;
    const authorization = request.header('authorization');
    const principal = await authenticate({ authorization, clientAddress, now });
    trace.keyId = principal.keyId;
    trace.storeId = principal.storeId;
    limiter?.take(principal.keyId, now);

    if (storeId !== principal.storeId) throw notFound('Store', storeId);
    if (targetId.includes('\0')) throw notFound('Id', targetId);
    requireScope(principal, operation.service.scope);

    const input = handler.input && (await readInput(handler.input, handler.maxBodyBytes, request));

    const actor = principal.keyId;
    if (operation.class !== 'read') {
      const ifMatch = request.header('if-match');
      const { traceparent } = trace;
      const change = { operation: operation.id, storeId, targetId, input, ifMatch, actor, now, traceparent };
      return withTag(operation, await applyChange(change));
    }
    const reply = await storage
      .forStore(storeId)
      .read((db) => handler.run({ db, storeId, actor, now }, { input, targetId, isCurrent: () => true }));
    return withTag(operation, reply);
  }

  let openApi: Content | undefined;
  const find = createRouter<AppRoute>([
    ...operations.map((operation) => ({
      method: operation.method,
      path: operation.path,
      answer: serve.bind(null, operation, handlers[operation.id]),
    })),
    {
      method: 'GET',
      path: '/openapi.json',
      answer: async () => {
        openApi ??= { ...ok({}), text: Buffer.from(JSON.stringify(describeService(version))) };
        return openApi;
      },
    },
    {
      method: 'GET',
      path: '/',
      answer: async () => ok({ name: 'Store Management Service', openapi: 'openapi.json', docs: 'docs' }),
    },
    { method: 'GET', path: '/docs', answer: async () => reference.page() },
    {
      method: 'GET',
      path: '/docs/',
      answer: async () => ({ status: 308, body: {}, headers: { Location: '../docs' } }),
    },
    {
      method: 'GET',
      path: '/docs/{version}/{file}',
      answer: async (_, [version = '', file = '']) => reference.file(version, file),
    },
    { method: 'GET', path: '/healthz', answer: async () => ok({ ok: true }) },
    {
      method: 'GET',
      path: '/readyz',
      answer: async ({ isStopping }) => {
        if (isStopping) throw busy('The service is stopping');
        const late = sleep(maxReadyMs, undefined, { ref: false }).then(() => {
          throw busy('The database is not responding');
        });
        await Promise.race([storage.read(ping), late]);
        return ok({ ok: true });
      },
    },
  ]);

  async function route(request: HttpRequest, trace: Trace): Promise<Content> {
    const match = find(request.method, request.path);
    if (match === null) throw notFound('Path', request.path);
    trace.route = match.path;
    if (match.route !== null) return match.route.answer(request, match.parameters, trace);
    const headers = { Allow: match.allow };
    if (request.method === 'OPTIONS') return { status: 204, body: null, headers };
    throw new ServiceError('method_not_allowed', `Allowed methods: ${match.allow}`, { headers });
  }

  async function handle(request: HttpRequest): Promise<HttpAnswer> {
    const start = performance.now();
    const requestId = randomUUID();
    const { method } = request;
    const traceparent = readTraceparent(request.header('traceparent'));
    const trace: Trace = { route: 'none', keyId: null, storeId: null, traceparent };
    let failure: Failure = { code: null };
    const { status, body, headers, text } = await route(request, trace).catch((error: unknown) => {
      const { code, ...problem } = toProblem(error, requestId);
      failure = problem.status >= 500 ? { code, error: describeError(error) } : { code };
      return { ...problem, text: undefined };
    });
    log({
      level: probes.has(trace.route) ? 'debug' : status >= 500 ? 'error' : 'info',
      method,
      route: trace.route,
      status,
      ...failure,
      ms: Math.round((performance.now() - start) * 1000) / 1000,
      requestId,
      storeId: trace.storeId,
      keyId: trace.keyId,
      clientAddress: request.clientAddress,
      ...(traceparent && { traceparent }),
    });
    const fields: Record<string, string> = { 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
    if (body !== null) fields['Content-Type'] = 'application/json';
    const content = body === null || method === 'HEAD' ? null : (text ?? JSON.stringify(body));
    if (content !== null) fields['Content-Length'] = String(Buffer.byteLength(content));
    return { status, headers: Object.assign(fields, headers), body: content };
  }

  return handle;
}

/** With an ETag for If-Match, where the contract says that there is one. */
function withTag({ service }: ServedOperation, reply: Reply): Reply {
  if (!service.versioned) return reply;
  const text = JSON.stringify(reply.body);
  return { ...reply, text, headers: { ...reply.headers, ETag: entityTagOf(text) } };
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
