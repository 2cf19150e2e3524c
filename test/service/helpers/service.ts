import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findOperation, type ServedId } from '../../../src/contract/operations/operations.ts';
import type { App, AppOptions } from '../../../src/service/http/app.ts';
import { tooLarge } from '../../../src/service/http/http-message.ts';
import {
  createApp,
  createKey,
  createStore,
  type Listening,
  type ListenOptions,
  listen,
  openStorage,
  type Storage,
} from '../../../src/service/index.ts';
import type { Work } from '../../../src/service/operations/unit-of-work.ts';
import { query, type TestCluster, type TestDatabase } from '../../helpers/postgres.ts';
import { expectConformance } from './conformance.ts';

/** A path in a new folder that is removed after the test. */
export async function temporaryFile(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storectl-service-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** Location of a new database on the engine that is being tested, removed after the test. */
export async function newDatabase(): Promise<string> {
  return cluster === undefined ? temporaryFile('service.db') : newPostgresDatabase(cluster);
}

/** Set if the tests of this file run on PostgreSQL. */
let cluster: TestCluster | undefined;

/** Runs the tests of this file on PostgreSQL. */
export function usePostgres(given: TestCluster): void {
  cluster = given;
}

/** Databases to reuse, because creating one takes longer than most tests. */
const unused: TestDatabase[] = [];

async function newPostgresDatabase({ createDatabase }: TestCluster): Promise<string> {
  const database = unused.pop() ?? (await createDatabase());
  onTestFinished(async () => {
    if (await isEmptied(database)) unused.push(database);
    else await database.drop();
  });
  return database.url;
}

/** Deletes all rows. False when the test has changed the tables themselves. */
async function isEmptied({ adminUrl }: TestDatabase): Promise<boolean> {
  const names =
    "select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'";
  const tables = (await query(adminUrl, names)).map((row) => row.tablename);
  const deletions = tables.map((table) => `delete from ${table};`);
  await query(adminUrl, `set session_replication_role = replica; ${deletions.join('')}`);
  tableCount ??= tables.length;
  return tables.length === tableCount;
}

let tableCount: number | undefined;

/** A database opened for the test: a new one unless its location is given. */
export async function openTestStorage(location?: string): Promise<Storage> {
  const storage = await openStorage(location ?? (await newDatabase()));
  onTestFinished(() => storage.close());
  return storage;
}

/** An app as the web's function from Request to Response, for tests that need no server. */
export function toFetch(app: App): (request: Request) => Promise<Response> {
  return async (request) => {
    const { method, url, headers } = request;
    const answer = await app({
      method,
      path: new URL(url).pathname,
      query: new URL(url).search.slice(1),
      clientAddress: headers.get('x-test-address') ?? '127.0.0.1',
      isStopping: false,
      header: (name) => headers.get(name) ?? undefined,
      async readBody(maxBytes) {
        const bytes = new Uint8Array(await request.arrayBuffer());
        if (bytes.length > maxBytes) throw tooLarge(maxBytes);
        return bytes;
      },
    });
    const body = answer.body === null ? null : Uint8Array.from(Buffer.from(answer.body));
    return new Response(body, { status: answer.status, headers: { ...answer.headers } });
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape is what they test
  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, in place of the JSON of the body. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

/**
 * A service with one store in it, and a key that may do everything there. Unless storage is given, the embedded
 * database is in memory: the same engine, and what depends on files has tests of its own.
 */
export async function openService(options: Partial<AppOptions> = {}) {
  const storage = options.storage ?? (await openTestStorage(cluster ? undefined : ':memory:'));
  const slug = `test-${randomUUID()}`;
  const store = await createStore(storage, { name: 'Test Store', slug, timezone: 'Europe/Berlin' });
  return serveStore(store, { ...options, storage });
}

/** A service for a store that the storage has, and a key that may do everything there. */
export async function serveStore<Store extends { readonly id: string }>(
  store: Store,
  { storage, ...options }: Partial<AppOptions> & Pick<AppOptions, 'storage'>,
) {
  const { key, id: keyId } = await createKey(storage, { storeId: store.id, preset: 'owner' });
  const clock = { now: Date.parse('2030-03-01T12:00:00Z') };
  const now = () => clock.now;
  const app = createApp({ version: '1.2.3', clock: now, elapsed: now, rateLimit: null, ...options, storage });

  const fetchApp = toFetch(app);

  /** Checks the answer against openapi.json. */
  async function send(method: string, path: string, body?: unknown, { headers, raw }: CallOptions = {}) {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = new Request(`http://service.test${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    });
    return read(method, path, await fetchApp(request));
  }

  /** Sends an operation to the store. */
  async function call(id: ServedId, targetId: string, body?: unknown, callOptions: CallOptions = {}) {
    const operation = findOperation(id);
    if (operation === undefined) throw new Error(`no operation ${id}`);
    const path = operation.path.replace('{storeId}', store.id).replace(/\{\w+\}/, targetId);
    return send(operation.method, path, body, callOptions);
  }

  /** Runs queries on the data of the store. */
  function inStore<Result>(work: (work: Work) => Promise<Result>): Promise<Result> {
    return storage.write((db) => work({ db, storeId: store.id, actor: 'test', now: clock.now }));
  }

  return { app, fetchApp, storage, store, storeId: store.id, key, keyId, clock, send, call, inStore };
}

export type Service = Awaited<ReturnType<typeof openService>>;

async function read(method: string, path: string, response: Response): Promise<Answer> {
  const text = await response.text();
  const body = text === '' ? null : JSON.parse(text);
  expectConformance(method, path, response, body);
  return { status: response.status, headers: response.headers, body };
}

/** The invalid fields as `pointer code`, sorted. */
export function faults(answer: Answer): string[] {
  expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed' });
  return answer.body.errors
    .map((error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`)
    .sort();
}

/** Sends each body to an operation, which refuses these fields of it. */
export async function expectFaults(
  service: Service,
  id: ServedId,
  cases: readonly (readonly [body: object, faults: readonly string[]])[],
  targetId = '',
): Promise<void> {
  for (const [body, expected] of cases) {
    expect(faults(await service.call(id, targetId, body)), JSON.stringify(body)).toEqual(expected.toSorted());
  }
}

/** An app behind a server on a free port, closed after the test. */
export async function serve(app: App, options: Partial<ListenOptions> = {}): Promise<Listening> {
  const server = await listen(app, { host: '127.0.0.1', port: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Types and data of the store's events, oldest first. */
export async function listEvents({ storage, storeId }: Service) {
  const rows = await storage.read((db) =>
    db.selectFrom('events').select(['type', 'data']).where('storeId', '=', storeId).orderBy('id').execute(),
  );
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
}
