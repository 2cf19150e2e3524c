import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { exampleIds } from '../../src/contract/objects.ts';
import { additionsByMethod, operationsByMethod } from '../../src/contract/operations/operations.ts';
import { createClient } from '../../src/library/client.ts';
import { createHistory, HistoryError, RefusedError } from '../../src/library/history.ts';
import { filesBelow, temporaryFolder } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { type Scene, setScene } from '../helpers/scene.ts';
import type { TestService } from '../helpers/service.ts';

const backup = { label: 'nightly', sections: ['store', 'blog'] };

/** A store behind a connection that can lose things, and a folder for the history of a script. */
type Script = Pick<Scene, 'service' | 'proxy'> & { readonly folder: string };

async function writeScript(options: Parameters<typeof setScene>[0] = {}) {
  return { ...(await setScene(options)), folder: temporaryFolder() };
}

function historyOf({ service, proxy, folder }: Script) {
  return createHistory({ folder, baseUrl: proxy.origin, storeId: service.storeId });
}

/** A client as a script makes it; each call is a new process. */
function connect({ service, proxy, folder }: Script, options: { withHistory: boolean; timeoutMs?: number }) {
  const client = createClient({
    baseUrl: proxy.origin,
    storeId: service.storeId,
    apiKey: service.apiKey,
    ...(options.withHistory && { history: historyOf({ service, proxy, folder }) }),
    timeoutMs: options.timeoutMs,
  });
  onTestFinished(() => client.close());
  return client;
}

function backupsIn({ storage }: TestService): Promise<{ label: string }[]> {
  return storage.read((db) => db.selectFrom('backups').select('label').execute());
}

test.each([true, false])(
  'a lost answer to a keyed request is asked for again (history: %s)',
  async (withHistory) => {
    const scene = await writeScript();
    const client = connect(scene, { withHistory });
    scene.proxy.decide((_, number) => (number === 1 ? 'drop' : 'pass'));

    const result = await client.createBackup(backup);

    expect(result).toMatchObject({
      kind: 'applied',
      status: 201,
      body: { label: 'nightly' },
      attempts: 2,
      replayed: true,
      drift: [],
      idempotencyKey: expect.stringMatching(/^storectl-/),
      recordId: withHistory ? expect.any(String) : null,
    });
    expect(await backupsIn(scene.service)).toHaveLength(1);
  },
);

test('a store that asked one script to wait is not read by the next that has the same history', async () => {
  await using server = await startFaultServer([answer(429, {}, { 'retry-after': '600' }), answer(200, {})]);
  const store = { baseUrl: server.url, storeId: 's-1' };
  const folder = temporaryFolder();
  const nextProcess = () => {
    const history = createHistory({ ...store, folder });
    return createClient({ ...store, apiKey: 'key-of-a-test', history, timeoutMs: 1000 });
  };
  expect(await nextProcess().createBackup(backup)).toMatchObject({ kind: 'rejected', status: 429 });
  expect(await nextProcess().showSettings()).toMatchObject({ kind: 'not_sent' });
  expect(server.requests).toHaveLength(1);
});

test('one signal for many calls at once ends them all, and Node warns of no leak', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const scene = await writeScript();
  const client = connect(scene, { withHistory: false });
  scene.proxy.decide(() => ({ waitFor: new Promise(() => {}) }));
  const controller = new AbortController();
  const calls = Array.from({ length: 20 }, () => client.showSettings({}, { signal: controller.signal }));
  while (scene.proxy.requests.length === 0) await setImmediate();
  controller.abort();
  for (const { kind } of await Promise.all(calls)) expect(kind).not.toBe('applied');
  await setImmediate();
  expect(warnings).toEqual([]);
});

test('an outcome that is unknown is said, and a later process settles it with the same key', async () => {
  const scene = await writeScript();
  const first = connect(scene, { withHistory: true, timeoutMs: 300 });
  scene.proxy.decide((_, number) => (number === 1 ? 'drop' : { status: 503 }));
  const lost = await first.createBackup(backup);
  const history = historyOf(scene);
  expect(lost).toMatchObject({ kind: 'unknown', failure: { code: expect.any(String) } });
  expect(await history.list({ open: true })).toMatchObject([
    { id: lost.recordId, state: 'unknown', operation: 'backup.create' },
  ]);

  scene.proxy.decide(() => 'pass');

  expect(await connect(scene, { withHistory: true }).resume()).toMatchObject([
    {
      recordId: lost.recordId,
      operation: 'backup.create',
      action: 'sent',
      outcome: { kind: 'applied' },
      reason: null,
    },
  ]);
  expect(new Set(scene.proxy.writes().map(({ body }) => body)).size).toBe(1);
  expect(await backupsIn(scene.service)).toHaveLength(1);
  expect(await history.list({ open: true })).toEqual([]);
  expect(await connect(scene, { withHistory: true }).resume()).toEqual([]);
});

test('the command line resumes what a script left in the same folder', async () => {
  const scene = await writeScript();
  const { machine } = scene;
  const shared = { ...scene, folder: path.join(machine.stateDirectory, 'history') };
  scene.proxy.decide((_, number) => (number === 1 ? 'drop' : { status: 503 }));
  const lost = await connect(shared, { withHistory: true, timeoutMs: 300 }).createBackup(backup);
  scene.proxy.decide(() => 'pass');

  const { exitCode, stdout } = await machine.run(['resume', '--json']);

  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ id: lost.recordId, action: 'sent', state: 'applied' }]);
  expect(await backupsIn(scene.service)).toHaveLength(1);
});

test('the same call continues an open dispute, and opens a new one after an answer or when asked to', async () => {
  const scene = await writeScript();
  const dispute = { kind: 'payment', reason: 'late' };
  // Until the time of the call is over.
  scene.proxy.decide((_, number) => (number === 1 ? 'drop' : number < 9 ? { status: 503 } : 'pass'));
  const lost = await connect(scene, { withHistory: true, timeoutMs: 300 }).openDispute(dispute);
  scene.proxy.decide(() => 'pass');
  const client = connect(scene, { withHistory: true });

  const continued = await client.openDispute(dispute);
  const next = await client.openDispute(dispute);
  const fresh = await client.openDispute(dispute, { fresh: true });

  expect(continued).toMatchObject({ kind: 'applied', recordId: lost.recordId });
  expect(new Set([lost, next, fresh].map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
});

test('the same call is refused like the same command while the first may have been applied, until that is marked or the caller insists', async () => {
  const scene = await writeScript({ hides: 'of both' });
  const post = { title: 'Sale', contentMd: 'Now' };
  scene.proxy.decide(() => 'drop');
  const lost = await connect(scene, { withHistory: true }).createBlogPost(post);
  scene.proxy.decide(() => 'pass');
  const client = connect(scene, { withHistory: true });

  const again = await client.createBlogPost(post).catch((error: Error) => error);

  expect(lost.kind).toBe('unknown');
  expect(again).toBeInstanceOf(RefusedError);
  expect(again).toMatchObject({ reason: 'in_doubt', earlier: { id: lost.recordId } });
  expect(scene.proxy.writes()).toHaveLength(1);
  await historyOf(scene).mark(lost.recordId ?? '', 'applied');
  await expect(client.createBlogPost(post)).rejects.toMatchObject({ reason: 'duplicate' });
  expect(scene.proxy.writes()).toHaveLength(1);
  await client.createBlogPost(post, { allowDuplicate: true });
  expect(scene.proxy.writes()).toHaveLength(2);
});

test.each([true, false])(
  'a lost post is sent again with its key, which the caller may give (history: %s)',
  async (withHistory) => {
    const scene = await writeScript();
    const client = connect(scene, { withHistory });
    let writes = 0;
    scene.proxy.decide(({ method }) => (method !== 'GET' && ++writes === 1 ? 'drop' : 'pass'));

    const idempotencyKey = 'of-the-caller';
    const post = { title: 'Sale', contentMd: 'Now' };
    const result = await client.createBlogPost(post, { idempotencyKey });

    expect(result).toMatchObject({ kind: 'applied', attempts: 2, replayed: true, idempotencyKey });
    // The same key is one effect, whatever was sent meanwhile.
    const again = await client.createBlogPost(post, { idempotencyKey });
    expect(again).toMatchObject({ kind: 'applied', body: { id: Object(Object(result).body).id } });
    expect(scene.proxy.writes()).toHaveLength(withHistory ? 2 : 3);
    await expect(client.createBlogPost(post, { idempotencyKey: 'a b' })).rejects.toThrow(RangeError);
    await expect(client.showSettings({}, { idempotencyKey })).rejects.toThrow(TypeError);
    const twice = client.createBackup({ ...backup, idempotencyKey: 'a' }, { idempotencyKey: 'b' });
    await expect(twice).rejects.toThrow(TypeError);
  },
);

test('a history of another store or address is refused before anything is sent', async () => {
  const scene = await writeScript();
  const { apiKey, storeId } = scene.service;
  for (const other of [
    { baseUrl: `${scene.proxy.origin}/staging`, storeId },
    { baseUrl: scene.proxy.origin, storeId: '00000000-0000-4000-8000-000000000009' },
  ]) {
    const history = createHistory({ folder: scene.folder, ...other });
    expect(() => createClient({ baseUrl: scene.proxy.origin, storeId, apiKey, history })).toThrow(TypeError);
  }
});

test('a one-shot request whose answer is lost is never sent again where the service does not apply its key once: it is left, and a person can settle it', async () => {
  const scene = await writeScript({ hides: 'of both' });
  const client = connect(scene, { withHistory: true });
  scene.proxy.decide(() => 'drop');
  const lost = await client.createBlogPost({ title: 'Sale', contentMd: 'Now' });
  scene.proxy.decide(() => 'pass');

  const [left] = await client.resume();

  expect(lost).toMatchObject({ kind: 'unknown', attempts: 1, idempotencyKey: expect.any(String) });
  expect(left).toMatchObject({ action: 'left_open', outcome: null, reason: 'ask_user' });
  expect(scene.proxy.writes()).toHaveLength(1);
  const history = historyOf(scene);
  const id = lost.recordId ?? '';
  await expect(history.mark(id, 'aplied' as 'applied')).rejects.toThrow(RangeError);
  expect(await history.list({ open: true })).toHaveLength(1);
  expect(await history.mark(id, 'applied')).toMatchObject([{ state: 'applied' }]);
  await expect(history.mark(id, 'not-applied')).rejects.toMatchObject({
    code: 'already_settled',
    message: `${id} is already settled (applied)`,
  });
});

test('a damaged history stops every change before it is sent, until it is repaired', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: true });
  await client.createBackup(backup);
  const [log = ''] = filesBelow(scene.folder).filter((file) => file.endsWith('.jsonl'));
  writeFileSync(log, '');
  const sent = scene.proxy.requests.length;
  const history = historyOf(scene);

  await expect(client.createBackup(backup)).rejects.toMatchObject({ code: 'history_damaged' });
  const later = connect(scene, { withHistory: true });
  await expect(later.createBackup(backup)).rejects.toThrow(HistoryError);
  await expect(later.resume()).rejects.toMatchObject({ code: 'history_damaged' });
  await expect(history.list()).rejects.toMatchObject({
    code: 'history_damaged',
    message: `${log} is empty`,
  });
  expect(scene.proxy.requests).toHaveLength(sent);
  expect((await later.showSettings()).kind).toBe('applied');
  expect(await history.repair()).toHaveLength(1);
  expect((await client.createBackup(backup)).kind).toBe('applied');
});

test('the key is in no record, in no error and in no outcome, and a request that contains it is refused', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: true });
  const { apiKey } = scene.service;
  const echo = { status: 422, body: JSON.stringify({ detail: `bad key ${apiKey}` }) };
  scene.proxy.decide(() => echo);

  const refused = await client.createBackup(backup);
  const leak = await client.createBackup({ ...backup, label: apiKey }).catch((error: Error) => error);

  expect(refused).toMatchObject({ kind: 'rejected', status: 422 });
  expect(leak).toMatchObject({ code: 'secret_in_record' });
  const files = filesBelow(scene.folder).map((file) => readFileSync(file, 'utf8'));
  for (const text of [...files, JSON.stringify(refused), String((leak as Error).stack)]) {
    expect(text).not.toContain(apiKey);
  }
});

test('what cannot be sent is thrown, and nothing is sent', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: false });

  await expect(client.createBackup({ label: 5, sections: ['store'] })).rejects.toThrow(
    'label must be text (got 5)',
  );
  await expect(client.createBackup({ label: 'x' })).rejects.toThrow('sections must be a list');
  await expect(client.showDispute({ disputeId: '../x' })).rejects.toThrow(
    'disputeId must not contain a slash',
  );
  await expect(client.showDispute()).rejects.toThrow('disputeId must be a non-empty string');
  await expect(client.showDispute('x' as never)).rejects.toThrow('the input must be an object');
  await expect(client.resume()).rejects.toThrow('needs a history');
  expect(() => createClient({ baseUrl: 'http://example.com', storeId: 's', apiKey: 'k' })).toThrow('HTTPS');
  expect(scene.proxy.requests).toEqual([]);
});

test('a signal ends the waiting, and the outcome says what is in doubt', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: false });
  const stop = new AbortController();
  scene.proxy.decide(() => ({ holdUntil: new Promise(() => {}) }));

  const result = client.createBackup(backup, { signal: stop.signal });
  await scene.proxy.received(1);
  stop.abort();

  expect(await result).toMatchObject({ kind: 'unknown', failure: { code: 'cancelled' } });
});

test('every operation has a method that reaches the service', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: true });
  const made = await client.createBackup(backup);
  const { id } = (made.kind === 'applied' ? made.body : {}) as { id: string };
  const settings = await client.showSettings();
  const calls = [
    () => client.updateStore({ name: 'Corner shop' }),
    () => client.createBlogPost({ title: 'Sale', contentMd: 'Now' }),
    () =>
      client.saveSettings(
        { quietHours: { enabled: true } },
        { ifMatch: settings.kind === 'applied' ? (settings.etag ?? '') : '' },
      ),
    () => client.openDispute({ kind: 'payment', reason: 'late' }),
    () => client.showDispute({ disputeId: exampleIds.openDispute }),
    () => client.decideDispute({ disputeId: exampleIds.openDispute, status: 'won', resolution: 'delivered' }),
    () => client.restoreBackup({ backupId: id, sections: ['blog'] }),
    () => client.appealReclaim({ reclaimId: exampleIds.reclaim, text: 'ours' }),
    () =>
      client.addEndpoint({
        kind: 'discord',
        name: 'x',
        url: 'https://discord.com/api/webhooks/1/t',
        events: ['feedback_digest'],
      }),
    () => client.markNotificationsRead(),
  ];
  // Two were called above.
  expect(calls.length + 2).toBe(Object.keys(operationsByMethod).length);
  for (const call of calls) expect(await call()).toMatchObject({ kind: 'applied', drift: [] });
});

test('what this service adds has methods, with filters and pages', async () => {
  const scene = await writeScript();
  const client = connect(scene, { withHistory: false });
  const applied = async (call: Promise<{ readonly kind: string; readonly body?: unknown }>) => {
    const result = await call;
    expect(result).toMatchObject({ kind: 'applied', drift: [], features: ['reads'] });
    return result.body as { items: { id: string }[]; next?: string };
  };
  await client.createBackup(backup);
  await client.createBackup(backup);
  const first = await applied(client.listBackups({ limit: 1 }));
  const second = await applied(client.listBackups({ limit: 1, after: first.next }));
  const posts = await applied(client.listBlogPosts());
  const calls = [
    () => client.showStore(),
    () => client.showBlogPost({ postId: posts.items[0]?.id ?? '' }),
    () => client.showBackup({ backupId: second.items[0]?.id ?? '' }),
    () => client.listReclaims(),
    () => client.listEndpoints(),
    () => client.listNotifications({ unread: true }),
  ];
  // Three more are called outside of the list.
  expect(calls.length + 3).toBe(Object.keys(additionsByMethod).length);
  for (const call of calls) await applied(call());
  const open = await applied(client.listDisputes({ status: 'open' }));

  expect(first.items[0]?.id).not.toBe(second.items[0]?.id);
  expect(open.items.map(({ id }) => id)).toEqual([exampleIds.openDispute]);
  await expect(client.listDisputes({ state: 'open' } as never)).rejects.toThrow('state is not a parameter');
  await expect(client.listBackups({ limit: 0 })).rejects.toThrow('limit must be at least 1');
});

test('docs/library.md names each method, and each filter of each list', () => {
  const text = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  for (const [method, operation] of Object.entries({ ...operationsByMethod, ...additionsByMethod })) {
    const row = rows.find((line) => line.includes(`\`${method}\``));
    expect(row, method).toBeDefined();
    const filters = 'filters' in operation ? Object.keys(operation.filters) : [];
    for (const name of filters) expect(row, method).toMatch(new RegExp(`\`${name}[\`:]`));
  }
});
