import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { buildOpenApi } from '../contract/openapi.ts';
import { type Operation, pathParameters } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { authenticate, requireScope } from './auth.ts';
import { notFound, ServiceError } from './errors.ts';
import { type Handler, handlers, ok, type Reply } from './handlers.ts';
import { parseIfMatch, readBody, requireJson } from './http.ts';
import { parseJsonObject } from './json.ts';
import { toProblem } from './problem.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { ping, type Storage } from './storage/storage.ts';
import { validate } from './validation.ts';

export interface AppOptions {
  readonly storage: Storage;
  /** Of the program, for the OpenAPI document. */
  readonly version: string;
  /** Epoch milliseconds. The system's clock unless given. */
  readonly clock?: () => number;
  /** Takes one record for each request and one for each failure. They never hold a body or a key. */
  readonly log?: (line: object) => void;
  /** For each API key: 10 per second in bursts of 20 unless given, none when null. */
  readonly rateLimit?: RateLimit | null;
}

/** The bytes of a request's body, as they come. */
export type BodySource = AsyncIterable<Uint8Array>;

/** Reads the body from `body` where it is given: a server has cheaper ways to it than a web stream. */
export type App = (request: Request, body?: BodySource) => Promise<Response>;

interface Env {
  Bindings: { readonly body?: BodySource };
  Variables: { requestId: string; route: string; keyId: string | null };
}

/** The service as a function: the 12 operations of the contract, `/healthz`, `/readyz` and `/openapi.json`. */
export function createApp(options: AppOptions): App {
  const { storage, version, clock = Date.now, log = () => {} } = options;
  const { rateLimit = { perSecond: 10, burst: 20 } } = options;
  const limiter = rateLimit && createRateLimiter(storage, rateLimit);
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const start = performance.now();
    c.set('requestId', randomUUID());
    c.set('route', 'none');
    c.set('keyId', null);
    await next();
    const { requestId, route, keyId } = c.var;
    const ms = Math.round(performance.now() - start);
    log({ method: c.req.method, route, status: c.res.status, ms, requestId, keyId });
  });

  app.onError((error, c) => {
    const { requestId } = c.var;
    const { status, body, headers } = toProblem(error, requestId);
    if (status >= 500) log({ level: 'error', requestId, error: error.stack ?? error.message });
    return send(c, { status, body, headers });
  });

  /** One step after the other: a request that fails one is told of that one only. */
  async function serve(c: Context<Env>, operation: Operation, handler: Handler): Promise<Reply> {
    const now = clock();
    const body = handler.input && (await readBody(c.req.raw, c.env.body, handler.maxBodyBytes));

    const principal = await authenticate(storage, c.req.header('Authorization'), now);
    c.set('keyId', principal.keyId);
    const waitSeconds = (await limiter?.take(principal, now)) ?? 0;
    if (waitSeconds > 0) throw rateLimited(waitSeconds);

    const [storeId = '', targetId = ''] = pathParameters(operation).map((name) => c.req.param(name));
    if (storeId !== principal.storeId || targetId.includes('\0')) throw notFound();
    requireScope(principal, handler.scope);

    if (body !== null) requireJson(c.req.header('Content-Type'));
    const input = handler.input && validate(handler.input, parseJsonObject(body ?? new Uint8Array()));

    const isCurrent = parseIfMatch(c.req.header('If-Match'));
    const { read, write } = storage.forStore(storeId);
    const transact = operation.class === 'read' ? read : write;
    return transact((db, locks) =>
      handler.run({ db, storeId, actor: principal.keyId, now }, { input, targetId, isCurrent, locks }),
    );
  }

  let openApi: object | undefined;
  const routes: Route[] = [
    ...operations.map((operation) => ({
      method: operation.method,
      path: operation.path,
      answer: (c: Context<Env>) => serve(c, operation, handlers[operation.id]),
    })),
    {
      method: 'GET',
      path: '/openapi.json',
      answer: async () => {
        openApi ??= buildOpenApi(version);
        return ok(openApi);
      },
    },
    { method: 'GET', path: '/healthz', answer: async () => ok({ ok: true }) },
    {
      method: 'GET',
      path: '/readyz',
      answer: async () => {
        await storage.read(ping);
        return ok({ ok: true });
      },
    },
  ];
  mount(app, routes);
  return async (request, body) => app.fetch(request, { ...(body && { body }) });
}

interface Route {
  readonly method: string;
  /** With parameters in braces, as in the contract. */
  readonly path: string;
  answer(c: Context<Env>): Promise<Reply>;
}

/** Also answers other methods of a known path, and paths that nobody knows. */
function mount(app: Hono<Env>, routes: readonly Route[]): void {
  for (const { method, path, answer } of routes) {
    app.on(method, toPattern(path), async (c) => {
      c.set('route', path);
      return send(c, await answer(c));
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(toPattern(path), (c) => {
      c.set('route', path);
      if (c.req.method === 'OPTIONS') return send(c, { status: 204, body: null, headers: { Allow: allow } });
      throw new ServiceError('method_not_allowed', `Allowed are ${allow}.`, { headers: { Allow: allow } });
    });
  }
  app.all('*', () => {
    throw notFound();
  });
}

function toPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function send(c: Context<Env>, reply: Omit<Reply, 'body'> & { readonly body: object | null }): Response {
  const { status, body, headers } = reply;
  return new Response(body && JSON.stringify(body), {
    status,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      'Cache-Control': 'no-store',
      'X-Request-Id': c.var.requestId,
      ...headers,
    },
  });
}

function rateLimited(seconds: number): ServiceError {
  const detail = `Try again in ${seconds} s.`;
  return new ServiceError('rate_limited', detail, { headers: { 'Retry-After': String(seconds) } });
}
