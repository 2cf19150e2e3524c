import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { createBackup, restoreBackup } from '../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../src/contract/operations/blog.ts';
import { decideDispute } from '../../src/contract/operations/disputes.ts';
import { saveSettings } from '../../src/contract/operations/settings.ts';
import { updateStore } from '../../src/contract/operations/store.ts';
import { nodeFileSystem } from '../../src/history/files/files.ts';
import type { History } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/journal.ts';
import { serializeWithChecksum } from '../../src/history/records/checksum.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import { type PerformOptions, performRecorded } from '../../src/history/sending/execute.ts';
import { resumeRecord } from '../../src/history/sending/resume.ts';
import { patientClient } from './helpers/patient-client.ts';
import { buildChildren, type Children } from './helpers/processes.ts';
import { type Reaction, type Received, type StoreServer, startStoreServer } from './helpers/store-server.ts';

const HOUR = 3_600_000;
const place = { profile: 'main', origin: 'https://api.example.com', storeId: 'store-1' };

let folder: string;
let history: History;
let client: Client;
let server: StoreServer;
/** How the service answers; a test may change it at any time. */
let react: (request: Received, number: number) => Reaction | Promise<Reaction>;
/** How far this machine's clock is ahead. */
let ahead: number;
let children: Children;

beforeAll(async () => {
  children = await buildChildren();
});

afterAll(() => children.remove());

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'storectl-perform-'));
  ahead = 0;
  react = () => 'answer';
  server = await startStoreServer((request, number) => react(request, number));
  history = openHistory({ folder, process, now: () => Date.now() + ahead });
  client = patientClient(server.url).client;
});

afterEach(async () => {
  await client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const refuse = (status: number, code: string): Reaction => ({
  status,
  body: { type: 'about:blank', title: code, status, code },
});

/** Changes a record on disk, as an earlier run would have left it. */
function writeRecord(file: string, change: object): void {
  const { checksum: _, ...record } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, serializeWithChecksum({ ...record, ...change }, 'file'));
}

let keys = 0;
function perform(options: Partial<PerformOptions> & Pick<PerformOptions, 'operation' | 'body'>) {
  const makeKey = () => {
    keys += 1;
    return `made-key-${keys}`;
  };
  return performRecorded({
    history,
    client,
    ...place,
    secrets: ['sk_secret_key'],
    makeKey,
    settlePauseMs: 1,
    ...options,
  });
}

async function resume(id: string, more: Partial<Parameters<typeof resumeRecord>[0]> = {}) {
  const record = await history.get(id);
  return resumeRecord({ history, client, record, settlePauseMs: 1, ...place, ...more });
}

const backup = { operation: createBackup, body: { label: 'nightly', sections: ['store'] } };
const post = { operation: createBlogPost, body: { title: 'Hello', contentMd: 'World' } };
const decision = {
  operation: decideDispute,
  parameters: { disputeId: 'd-1' },
  body: { status: 'won', resolution: 'Delivered' },
};

describe('perform', () => {
  test('keeps what was sent and what came back', async () => {
    const { record, outcome, warnings } = await perform(backup);
    expect(outcome).toMatchObject({ kind: 'applied', body: { id: 'made-1' } });
    expect(warnings).toEqual([]);
    expect(await history.get(record.id)).toEqual(record);
    expect(record).toMatchObject({
      state: 'applied',
      attempts: 1,
      path: '/v1/stores/store-1/operations/backups',
      body: server.received[0]?.body,
      answer: { status: 201, body: '{"id":"made-1"}', requestId: 'req-1' },
    });
    const stored = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(stored.map((name) => readFileSync(path.join(folder, name), 'utf8')).join()).not.toContain(
      'sk_secret',
    );
  });

  test('has the record on disk as sent when the request arrives', async () => {
    const states: unknown[] = [];
    react = () => {
      const [name = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.json'));
      states.push(JSON.parse(readFileSync(path.join(folder, name), 'utf8')).state);
      return 'answer';
    };
    await perform(post);
    expect(states).toEqual(['sent']);
  });

  test('counts the attempts of a keyed operation whose answers are lost', async () => {
    react = (_request, number) => (number < 4 ? 'drop' : 'answer');
    const { record } = await perform(backup);
    expect(record).toMatchObject({ state: 'applied', attempts: 4 });
    expect(server.effects).toEqual(['made-1']);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
  });

  test('notes a refusal with what the service said', async () => {
    react = () => refuse(422, 'validation_failed');
    const { record } = await perform(post);
    expect(record).toMatchObject({
      state: 'rejected',
      answer: { status: 422, problem: { code: 'validation_failed' } },
    });
  });

  test('a service that is not there: not_sent, and the next command starts afresh', async () => {
    await server.close();
    const { record } = await perform(backup);
    expect(record).toMatchObject({ state: 'not_sent', failure: { code: 'connection_refused' } });
    server = await startStoreServer();
    const again = createClient({ baseUrl: server.url, apiKey: 'sk_secret_key', userAgent: 'test', env: {} });
    const second = await perform({ ...backup, client: again });
    expect(second.record.id).not.toBe(record.id);
    await again.close();
  });

  test('what check throws stops it before anything is written or sent', async () => {
    const check = async () => {
      throw new Error('a duplicate');
    };
    await expect(perform({ ...post, check })).rejects.toThrow('a duplicate');
    expect(server.received).toEqual([]);
    expect((await history.list()).records).toEqual([]);
  });

  test('check sees every earlier record even when two processes begin at once', async () => {
    const check = async (seen: History) => {
      if ((await seen.list({ operation: post.operation.id })).records.length > 0)
        throw new Error('a duplicate');
    };
    const results = await Promise.allSettled([perform({ ...post, check }), perform({ ...post, check })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(server.received).toHaveLength(1);
  });
});

describe('keys', () => {
  test('20 processes with one key: one effect, all report it', async () => {
    const body = { ...backup.body, idempotencyKey: 'shared' };
    const runs = Array.from({ length: 20 }, () =>
      children.start({ does: 'perform', folder, url: server.url, operation: 'backup.create', body }),
    );
    for (const { ended } of runs) {
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ outcome: { kind: 'applied', body: { id: 'made-1' } } });
    }
    expect(server.received).toHaveLength(1);
    expect((await history.list()).records).toHaveLength(1);
  });

  test('a second command waits for the first and reports the same refusal, without a request', async () => {
    let arrived = () => {};
    let waits = () => {};
    const firstArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const secondWaits = new Promise<void>((resolve) => {
      waits = resolve;
    });
    react = async () => {
      arrived();
      await secondWaits;
      return refuse(401, 'invalid_key');
    };
    const body = { ...backup.body, idempotencyKey: 'shared' };
    const first = perform({ ...backup, body });
    await firstArrived;
    const second = perform({ ...backup, body, onWait: () => waits() });
    expect((await Promise.all([first, second])).map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'rejected', status: 401 },
      { kind: 'rejected', status: 401 },
    ]);
    expect(server.received).toHaveLength(1);
  });

  test('the same key with other arguments is refused before anything is sent', async () => {
    const { record } = await perform({ ...backup, body: { ...backup.body, idempotencyKey: 'mine' } });
    const other = { ...backup.body, label: 'weekly', idempotencyKey: 'mine' };
    await expect(perform({ ...backup, body: other })).rejects.toMatchObject({
      name: 'KeyReusedError',
      earlier: { id: record.id },
    });
    expect(server.received).toHaveLength(1);
  });

  test('the same key under another operation or for another store is another key', async () => {
    const body = { sections: ['store'], idempotencyKey: 'mine' };
    await perform({ ...backup, body: { ...backup.body, idempotencyKey: 'mine' } });
    await perform({ operation: restoreBackup, parameters: { backupId: 'b' }, body });
    await perform({ ...backup, storeId: 'store-2', body: { label: 'other', ...body } });
    expect(server.received).toHaveLength(3);
  });

  test('the same command again goes on with the open record; --new does not', async () => {
    react = () => 'drop';
    const { record, outcome } = await perform(backup);
    expect(outcome.kind).toBe('unknown');
    react = () => 'answer';
    const reused: unknown[] = [];
    const again = await perform({
      ...backup,
      onEarlierRecord: (earlier, open) => reused.push(earlier.id, open),
    });
    expect(reused).toEqual([record.id, true]);
    expect(again).toMatchObject({ record: { id: record.id, attempts: 5 }, outcome: { kind: 'applied' } });
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
    expect(server.effects).toEqual(['made-1']);
    const fresh = await perform({ ...backup, fresh: true });
    expect(fresh.record.id).not.toBe(record.id);
    expect(server.effects).toHaveLength(2);
  });

  test('an applied record whose answer was never printed is reported instead of sent again', async () => {
    const { record } = await perform(backup);
    const again = await perform(backup);
    expect(again).toMatchObject({ record: { id: record.id }, outcome: { kind: 'applied' } });
    expect(server.effects).toEqual(['made-1']);
    await history.update(again.record, { state: 'applied', reported: true });
    expect((await perform(backup)).record.id).not.toBe(record.id);
    expect(server.effects).toHaveLength(2);
  });

  test('after 20 hours the same command takes a fresh key', async () => {
    react = () => 'drop';
    const { record } = await perform(backup);
    ahead = 20 * HOUR;
    react = () => 'answer';
    const again = await perform(backup);
    expect(again.record.idempotencyKey).not.toBe(record.idempotencyKey);
  });
});

describe('resume', () => {
  async function lose(options: Parameters<typeof perform>[0]) {
    react = ({ method }) => (method === 'GET' ? refuse(503, 'busy') : 'drop');
    const { record } = await perform(options);
    expect(record.state).toBe('unknown');
    react = () => 'answer';
    return record;
  }

  test('sends the same key and the same bytes again', async () => {
    const record = await lose(backup);
    expect(await resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
    expect(server.effects).toEqual(['made-1']);
    expect(await resume(record.id)).toMatchObject({
      action: 'finished',
      outcome: { body: { id: 'made-1' } },
    });
    expect(server.received).toHaveLength(5);
  });

  test.each([
    ['is out of reach', () => 'close' as const],
    ['refuses the API key', () => refuse(401, 'invalid_key')],
    ['does not find the store of another key', () => refuse(404, 'not_found')],
    ['finds the request malformed', () => refuse(400, 'bad_request')],
    ['refuses the values', () => refuse(422, 'validation_failed')],
  ])('a service that %s does not make an unknown outcome certain', async (_what, reaction) => {
    const record = await lose(backup);
    const next = reaction();
    if (next === 'close') await server.close();
    else react = () => next;
    expect(await resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'unknown' } });
    expect(await history.get(record.id)).toMatchObject({ state: 'unknown' });
    server = await startStoreServer();
  });

  test('killed after it was sent: a refusal to the same bytes does not end the doubt', async () => {
    const { record } = await perform(backup);
    const file = path.join(folder, `${record.id}.json`);
    writeRecord(file, { state: 'sent', answer: null });
    react = () => refuse(400, 'bad_request');

    expect(await resume(record.id)).toMatchObject({ outcome: { kind: 'unknown', status: 400 } });
    expect(await history.get(record.id)).toMatchObject({ state: 'unknown' });
    expect((await perform(backup)).record.id).toBe(record.id);
  });

  test.each([401, 403])('a %i as the only answer ends it: the same command is sent anew', async (status) => {
    react = () => refuse(status, 'invalid_key');
    const { record } = await perform(backup);
    expect(record.state).toBe('rejected');
    expect((await history.list({ open: true })).records).toEqual([]);
    react = () => 'answer';
    expect((await perform(backup)).record.id).not.toBe(record.id);
  });

  test('waits as long as the last answer asked, also in a later run', async () => {
    react = () => ({ status: 503, body: {}, headers: { 'retry-after': '100' } });
    const { record, outcome } = await perform({ ...backup, timeoutMs: 50_000 });
    expect(outcome).toMatchObject({ kind: 'unknown', status: 503 });
    react = () => 'answer';
    ahead = 10_000;
    const before = server.received.length;
    const { client: later, waited } = patientClient(server.url);
    const early = await resume(record.id, { client: later, timeoutMs: 50_000 });
    expect(early).toMatchObject({ outcome: { kind: 'unknown', failure: { code: 'connection_lost' } } });
    expect(server.received).toHaveLength(before);
    expect(await resume(record.id, { client: later })).toMatchObject({ outcome: { kind: 'applied' } });
    expect(waited()).toBeGreaterThan(85_000);
    await later.close();
  });

  test('a repeatable change in doubt is settled by a later one of the same values', async () => {
    const update = { operation: updateStore, body: { name: 'Shop' } };
    const record = await lose(update);
    react = () => 'answer';
    ahead = 1_000;
    const twin = await perform(update);
    const before = server.received.length;

    expect(await resume(record.id)).toMatchObject({
      action: 'settled',
      record: { state: 'applied' },
      warnings: [`The same change was applied later by ${twin.record.id}.`],
    });
    expect(server.received).toHaveLength(before);
    expect((await history.list({ open: true })).records).toEqual([]);
  });

  test.each([
    ['set back in between', 0],
    ['set back in between and then right again', HOUR + 10_000],
  ])('a change does not overwrite another record, even if the clock was %s', async (_, later) => {
    ahead = HOUR;
    const record = await lose({ operation: updateStore, body: { name: 'Old' } });
    ahead = 0;
    react = () => 'answer';
    const { record: newer } = await perform({ operation: updateStore, body: { name: 'New' } });
    const before = server.received.length;
    ahead = later;

    const left = await resume(record.id);

    expect(left).toMatchObject({ action: 'left', reason: 'overtaken' });
    expect(left).toHaveProperty('advice', expect.stringContaining(newer.id));
    expect(server.received).toHaveLength(before);
  });

  test('does not send what is so old that its key may be forgotten', async () => {
    const record = await lose(backup);
    ahead = 21 * HOUR;
    const before = server.received.length;
    expect(await resume(record.id)).toMatchObject({ action: 'left', reason: 'too_old' });
    expect(server.received).toHaveLength(before);
  });

  test('leaves a record of another store or origin alone', async () => {
    const record = await lose(backup);
    const before = server.received.length;
    expect(await resume(record.id, { storeId: 'store-2' })).toMatchObject({ reason: 'elsewhere' });
    expect(await resume(record.id, { origin: 'https://other' })).toMatchObject({ reason: 'elsewhere' });
    expect(server.received).toHaveLength(before);
  });

  test('never sends a one-shot operation twice', async () => {
    const record = await lose(post);
    expect(await resume(record.id)).toMatchObject({ action: 'left', reason: 'one_shot' });
    expect(server.received).toHaveLength(1);
    expect(await history.get(record.id)).toMatchObject({ state: 'unknown' });
  });

  test('two at once send one after the other, and the second finds it finished', async () => {
    const record = await lose(backup);
    const both = await Promise.all([resume(record.id), resume(record.id)]);
    expect(both.map(({ action }) => action).sort()).toEqual(['finished', 'sent']);
  });
});

describe('a decision whose answer was lost', () => {
  const dispute = (status: string, resolution?: string): Reaction => ({
    status: 200,
    body: { record: { id: 'd-1', status, resolution }, evidence: [] },
  });
  const afterLoss = (reaction: Reaction) => {
    react = ({ method }) => (method === 'GET' ? reaction : 'drop');
  };

  test('is applied when the dispute shows it', async () => {
    afterLoss(dispute('won', 'Delivered'));
    const { record, outcome } = await perform(decision);
    expect(outcome).toMatchObject({ kind: 'applied', body: { id: 'd-1', status: 'won' } });
    expect(record).toMatchObject({ state: 'applied', answer: { settledByReading: true } });
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/stores/store-1/operations/disputes/d-1/decision',
      'GET /v1/stores/store-1/operations/disputes/d-1',
    ]);
  });

  test.each([
    ['another status', dispute('lost', 'Delivered')],
    ['another resolution', dispute('won', 'Somebody else decided')],
    ['another dispute', { status: 200, body: { record: { id: 'd-2', status: 'won' }, evidence: [] } }],
    ['no id', { status: 200, body: { record: { status: 'won' }, evidence: [] } }],
    ['that it is still open', dispute('open')],
  ] as const)(
    'stays unknown when the dispute shows %s, however long ago it was sent',
    async (_what, shown) => {
      afterLoss(shown);
      const { record, outcome } = await perform(decision);
      expect(outcome).toMatchObject({ kind: 'unknown' });
      ahead = 30 * 24 * HOUR;
      expect(await resume(record.id)).toMatchObject({ action: 'left', reason: 'not_settled' });
      expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  test('is not sent a second time while it is in doubt', async () => {
    afterLoss(dispute('open'));
    const { record } = await perform(decision);
    await expect(perform(decision)).rejects.toMatchObject({
      name: 'EarlierRequestError',
      earlier: { id: record.id },
    });
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    afterLoss(dispute('won', 'Delivered'));
    // A command looks at the dispute before: one that finds it decided otherwise only now has not seen that.
    const other = { ...decision, body: { status: 'lost', resolution: 'Not delivered' } };
    await expect(perform(other)).rejects.toMatchObject({
      message: expect.stringContaining('was just applied'),
      earlier: { id: record.id, state: 'applied' },
    });
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(await history.get(record.id)).toMatchObject({ state: 'applied' });
  });

  test('that was applied and never reported is reported by the same command, and sent by one with --new', async () => {
    react = () => ({ status: 200, body: { id: 'd-1', status: 'won' } });
    const { record } = await perform(decision);
    const reported: unknown[] = [];
    const onEarlierRecord = (earlier: HistoryRecord, open: boolean) => reported.push([earlier.id, open]);
    expect(await perform({ ...decision, onEarlierRecord })).toMatchObject({
      record: { id: record.id },
      isRecorded: true,
      outcome: { kind: 'applied', body: { id: 'd-1', status: 'won' } },
    });
    expect(reported).toEqual([[record.id, false]]);
    expect(server.received).toHaveLength(1);
    await perform({ ...decision, fresh: true });
    expect(server.received).toHaveLength(2);
  });

  test('is not sent while another command decides the same: it waits, and reports the outcome of that', async () => {
    let answer = () => {};
    const decided = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let arrived = () => {};
    const underWay = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    react = () => ({ status: 200, body: { id: 'd-1', status: 'won' } });
    // Its record is on disk, and nothing of it is sent yet.
    const slow: Client = {
      ...client,
      async send(request, input) {
        arrived();
        await decided;
        return client.send(request, input);
      },
    };
    const first = perform({ ...decision, client: slow });
    await underWay;
    const second = perform({ ...decision, onWait: answer });

    const { record } = await first;
    expect(await second).toMatchObject({ isRecorded: true, record: { id: record.id, state: 'applied' } });
    expect(server.received).toHaveLength(1);
  });

  test('is not sent if another command has decided since the dispute was read', async () => {
    react = () => ({ status: 200, body: { id: 'd-1', status: 'won' } });
    const readAt = history.now();
    const { record } = await perform(decision);
    await history.markReported([record]);
    // 0: the command did not read it, because it was to report an earlier decision, which has been reported since.
    for (const when of [readAt, 0]) {
      await expect(perform({ ...decision, readAt: when })).rejects.toMatchObject({
        message: expect.stringContaining('was just applied'),
        earlier: { id: record.id },
      });
    }
    expect(server.received).toHaveLength(1);
    ahead = HOUR;
    await perform({ ...decision, readAt: history.now() });
    expect(server.received).toHaveLength(2);
  });

  test.each([
    ['another status', { id: 'd-1', status: 'open' }],
    ['another dispute', { id: 'd-2', status: 'won' }],
  ])('an answer with %s is no success', async (_what, body) => {
    react = ({ method }) => (method === 'GET' ? dispute('open') : { status: 200, body });
    expect(await perform(decision)).toMatchObject({
      outcome: { kind: 'unknown', failure: { code: 'mismatched_response' } },
      record: { state: 'unknown' },
    });
  });

  test('is settled by resume when reading works again', async () => {
    afterLoss(refuse(404, 'not_found'));
    const { record } = await perform(decision);
    expect(record.state).toBe('unknown');
    afterLoss(dispute('won', ' Delivered\n'));
    expect(await resume(record.id)).toMatchObject({ action: 'settled', record: { state: 'applied' } });
  });
});

describe('settings whose save was lost', () => {
  const former = { showcase: { enabled: false }, updatedAt: 'then' };
  const wanted = { showcase: { enabled: true }, discovery: { categories: ['a', 'b'], summary: null } };
  const save = { operation: saveSettings, body: wanted, ifMatch: '"1"', former: JSON.stringify(former) };
  const shows = (document: unknown) => {
    react = ({ method }) => (method === 'GET' ? { status: 200, body: document } : 'drop');
  };

  test('are applied when they read as they were to be saved', async () => {
    shows({ ...wanted, discovery: { categories: ['a', 'b'] }, env: 'live', updatedAt: 'now' });
    const { outcome } = await perform(save);
    expect(outcome).toMatchObject({ kind: 'applied', body: { env: 'live' } });
    expect(server.received[0]?.ifMatch).toBe('"1"');
  });

  test('are saved again by resume when they read as before', async () => {
    shows(former);
    const { record } = await perform(save);
    expect(record.state).toBe('unknown');
    react = ({ method }) => ({
      status: 200,
      body: method === 'GET' ? former : { ...wanted, updatedAt: 'now' },
    });
    expect(await resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
    expect(server.received.at(-1)).toMatchObject({ method: 'PUT', ifMatch: '"1"', body: record.body });
  });

  test('are left alone when somebody has changed them since', async () => {
    shows({ showcase: { enabled: false, summary: 'of somebody else' }, updatedAt: 'later' });
    const { record } = await perform(save);
    const before = server.received.length;
    expect(await resume(record.id)).toMatchObject({ action: 'left', reason: 'not_settled' });
    expect(server.received.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  test('are left alone when a later save was applied, even if that put them back', async () => {
    shows(former);
    const { record } = await perform(save);
    ahead = 1_000;
    react = () => ({ status: 200, body: { ...former, updatedAt: 'now' } });
    await perform({ ...save, body: { showcase: { enabled: false } } });
    const before = server.received.length;
    expect(await resume(record.id)).toMatchObject({ action: 'left', reason: 'overtaken' });
    expect(server.received).toHaveLength(before);
  });

  test.each([
    ['are sent when they read as before', former, 'sent', ['GET', 'PUT']],
    ['are left alone when they read otherwise', { showcase: { enabled: true } }, 'left', ['GET']],
  ])('that were never sent %s', async (_what, now, action, methods) => {
    shows(former);
    const { record } = await perform(save);
    // As a process leaves it that is killed before it sends.
    writeRecord(path.join(folder, `${record.id}.json`), { state: 'prepared', attempts: 0, sentAt: null });
    const before = server.received.length;
    react = ({ method }) => ({ status: 200, body: method === 'GET' ? now : wanted });

    expect(await resume(record.id)).toMatchObject({ action });
    expect(server.received.slice(before).map(({ method }) => method)).toEqual(methods);
  });

  test('a 412 to a second attempt does not pass for a refusal of the first', async () => {
    react = ({ method }, number) => {
      if (method === 'GET') return { status: 200, body: { ...wanted, updatedAt: 'now' } };
      return number === 1 ? 'drop' : refuse(412, 'stale');
    };
    expect((await perform(save)).outcome.kind).toBe('applied');
  });
});

describe('a disk that is full', () => {
  test('from the start: nothing is sent', async () => {
    const task = {
      does: 'perform',
      folder,
      url: server.url,
      operation: 'blog.create',
      body: post.body,
    } as const;
    const { code, stderr } = await children.startLimited('ulimit -f 0', task).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/HistoryError .*no space left/),
    });
    expect(server.received).toEqual([]);
  });

  test.each([
    { when: 'once the record is there', call: 'renameSync', after: 1 },
    { when: 'when the name of the record is synced', call: 'fsyncSync', after: 2 },
  ] as const)('$when: nothing is sent, and nothing is left for resume to send', async ({ call, after }) => {
    let calls = 0;
    const failing = (...args: never[]) => {
      calls += 1;
      if (calls > after) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return (nodeFileSystem[call] as (...args: never[]) => void)(...args);
    };
    await perform(backup);
    const filling = openHistory({ folder, process, fileSystem: { ...nodeFileSystem, [call]: failing } });
    await expect(perform({ ...post, history: filling })).rejects.toMatchObject({ code: 'disk_full' });
    expect(calls).toBeGreaterThan(after);
    expect(server.received).toHaveLength(1);
    expect((await history.list({ open: true })).records).toEqual([]);
  });

  test('when the answer comes: the answer is not lost, and the record says truly that it is open', async () => {
    const earlier = await perform(backup);
    // Room for the record of a request, but not for this answer.
    react = () => ({ status: 201, body: { id: 'made-1', excerpt: 'x'.repeat(9_000) } });
    const task = {
      does: 'perform',
      folder,
      url: server.url,
      operation: 'blog.create',
      body: post.body,
    } as const;
    const { code, stdout } = await children.startLimited('ulimit -f 8', task).ended;
    expect(code).toBe(0);
    const printed = JSON.parse(stdout);
    expect(printed).toMatchObject({
      outcome: { kind: 'applied', body: { id: 'made-1' } },
      warnings: [expect.stringMatching(/could not be recorded.*no space left/)],
    });
    expect(await history.get(printed.id)).toMatchObject({ state: 'sent' });
    expect(await history.get(earlier.record.id)).toEqual(earlier.record);
    expect((await history.list()).problems).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
