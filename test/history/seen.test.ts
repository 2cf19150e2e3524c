import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFileSystem } from '../../src/base/files/files.ts';
import { openRecords } from '../../src/history/changes/plan-resume.ts';
import { markRecords, resumeRecord } from '../../src/history/changes/resume.ts';
import { openHistory } from '../../src/history/history.ts';
import { repairLogs } from '../../src/history/journal/repair.ts';
import { findOpenElsewhere } from '../../src/history/read-leniently.ts';
import { RefusedError } from '../../src/history/record/errors.ts';
import { storeFolder } from '../../src/history/store-folder.ts';
import { cutAt, lineOf, readWrittenLog, replaceLine, type WrittenLog } from '../helpers/written-log.ts';
import { damageFirstRequest } from './helpers/damage.ts';
import {
  appeal,
  backup,
  dispute,
  endpoint,
  type HistoryScene,
  hour,
  post,
  rename,
  replacedSettings,
  restore,
  safetyLabel,
  save,
  setHistoryScene,
} from './helpers/scene.ts';

const year = 365 * 24 * hour;

/** Sends the request again as the same command and by resuming everything; returns what arrived. */
async function tryEverything(scene: HistoryScene, request: typeof post) {
  scene.server.clear();
  await scene.change(request).catch(() => {});
  for (const { id } of openRecords(scene.open())) await scene.resume(id).catch(() => {});
  return scene.server.received.filter(({ method }) => method !== 'GET');
}

describe('a log that lost lines', () => {
  const cuts: [string, (log: WrittenLog) => Buffer][] = [
    ['emptied', (log) => cutAt(log, 0)],
    ['cut behind its header', (log) => cutAt(log, lineOf(log, 'header').end)],
    ['cut before its outcome', (log) => cutAt(log, lineOf(log, 'outcome').start)],
    ['cut within its outcome', (log) => cutAt(log, lineOf(log, 'outcome').start + 20)],
    ['without its request', (log) => replaceLine(log, lineOf(log, 'request'))],
  ];

  test.each(cuts)('%s stops every change that reads it, and resume, and nothing is sent', async (_, cut) => {
    const scene = await setHistoryScene();
    await scene.change(post);
    const [name = ''] = scene.files();
    const file = path.join(scene.folder, name);
    writeFileSync(file, cut(readWrittenLog(file)));
    scene.server.clear();
    for (const run of [
      () => scene.change(post),
      () => scene.change({ ...post, body: { title: 'Other', contentMd: 'x' } }),
      async () => openRecords(scene.open()),
    ])
      await expect(run()).rejects.toMatchObject({ code: 'history_damaged', file });
    expect(scene.server.received).toEqual([]);
  });

  test.each(cuts)('%s, and repaired: no command sends the same post twice', async (_, cut) => {
    const scene = await setHistoryScene();
    await scene.change(post);
    const [name = ''] = scene.files();
    const file = path.join(scene.folder, name);
    writeFileSync(file, cut(readWrittenLog(file)));
    const repaired = await repairLogs(scene.open().journal);
    expect(repaired).toMatchObject([{ file }]);
    expect(await tryEverything(scene, post)).toEqual([]);
  });
});

test.each(['', '{"line":4,"clo', '\0\0\0'])(
  'a log whose closing line was lost with the power is not damaged: the change is reported again (%j)',
  async (tail) => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(post);
    const [name = ''] = scene.files();
    const file = path.join(scene.folder, name);
    const log = readWrittenLog(file);
    writeFileSync(file, replaceLine(log, lineOf(log, 'closing'), tail));
    expect(openRecords(scene.open())).toMatchObject([{ id: record.id, state: 'applied' }]);
    expect(await tryEverything(scene, post)).toEqual([]);
    expect(openRecords(scene.open())).toEqual([]);
  },
);

describe('after a repair', () => {
  test.each([
    ['a post', post],
    ['an endpoint', endpoint],
    ['an appeal', appeal],
    ['a dispute', dispute],
  ])(
    '%s whose request is lost stands for every command of its operation, until it is marked',
    async (_, request) => {
      const scene = await setHistoryScene();
      const { record } = await scene.change(request);
      await damageFirstRequest(scene);
      expect(await tryEverything(scene, request as typeof post)).toEqual([]);
      const body = { ...request.body, note: 'other' };
      const other = { ...request, parameters: { reclaimId: 'r-2' }, body };
      await expect(scene.change(other)).rejects.toMatchObject({ reason: 'in_doubt' });
      expect(scene.server.received).toEqual([]);
      await scene.use((history) => markRecords(history, record.id, 'applied'));
      expect((await scene.change(other)).outcome.kind).toBe('applied');
    },
  );

  test('a whole outcome stays', async () => {
    const scene = await setHistoryScene();
    const { record } = await scene.change(appeal);
    const [name = ''] = scene.files();
    const file = path.join(scene.folder, name);
    const log = readWrittenLog(file);
    writeFileSync(file, Buffer.concat([cutAt(log, lineOf(log, 'outcome').end), Buffer.from('{"bro')]));
    await repairLogs(scene.open().journal);
    expect(scene.open().snapshot().get(record.id)).toMatchObject({ state: 'applied' });
    await expect(scene.change(appeal)).rejects.toBeInstanceOf(RefusedError);
    expect(scene.server.received).toHaveLength(1);
  });
});

describe('a history belongs to a base URL and a store', () => {
  test('what is open at one path is neither resumed nor in the way at another', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const histories = path.join(scene.folder, 'histories');
    const at = (baseUrl: string, storeId = 'store-1') => {
      const store = { baseUrl, storeId };
      return openHistory({ folder: storeFolder(histories, store), store, profile: 'main', process });
    };
    const options = { client: scene.client, settlePauseMs: 1 };
    const staging = at('https://gw/staging');
    const { record } = await scene.begin(staging, appeal);
    await staging.end();
    scene.react = () => 'answer';
    for (const other of [at('https://gw/production'), at('https://gw/staging', 'store-2')]) {
      expect(openRecords(other)).toEqual([]);
      expect(() => other.snapshot().get(record.id)).toThrow('no change');
      await expect(resumeRecord(other, record.id, options)).rejects.toMatchObject({
        code: 'record_not_found',
      });
      expect((await scene.begin(other, appeal)).outcome.kind).toBe('applied');
      await other.end();
    }
    const writes = () => scene.methods().filter((method) => method !== 'GET').length;
    const sent = writes();
    const again = at('https://gw/staging');
    await expect(scene.begin(again, appeal)).rejects.toMatchObject({ reason: 'in_doubt' });
    expect(writes()).toBe(sent);
    expect(findOpenElsewhere(at('https://gw/production').journal.folder)).toEqual([
      { baseUrl: 'https://gw/staging', storeId: 'store-1', profile: 'main', count: 1 },
    ]);
    expect(findOpenElsewhere(again.journal.folder)).toEqual([]);
    expect(readdirSync(histories)).toHaveLength(3);
  });

  test('a log that lies in the folder of another store is not read', async () => {
    const scene = await setHistoryScene();
    await scene.change(post);
    const store = { baseUrl: 'https://other.example.com', storeId: 'store-1' };
    const other = openHistory({ folder: scene.folder, store, profile: 'main', process });
    expect(() => other.snapshot().openAndRecent('blog.create')).toThrow('belongs to store store-1');
  });
});

describe('a restore', () => {
  test('in doubt that never arrived is not sent over later work: by resume or the same command', async () => {
    const scene = await setHistoryScene(({ path: to }) => (to.endsWith('/restore') ? 'drop' : 'answer'));
    const first = await scene.change(restore, { safetyLabel });
    scene.react = () => 'answer';
    expect(await scene.resume(first.record.id)).toMatchObject({ action: 'left_open', reason: 'needs_yes' });
    scene.ahead = 5 * hour;
    await scene.change(rename('work of five hours'));
    scene.server.clear();
    expect(await scene.resume(first.record.id, { isConfirmed: true, safetyLabel })).toMatchObject({
      action: 'left_open',
      reason: 'later_change',
    });
    expect(scene.server.received).toEqual([]);
    const again = await scene.change(restore, { safetyLabel });
    // A new safety backup, with the later work in it.
    expect(scene.server.received.map(({ path: to }) => to.split('/').at(-1))).toEqual(['backups', 'restore']);
    expect(again.record.safetyBackupId).not.toBe(first.record.safetyBackupId);
    expect(again.record.safetyBackupId).toBe(again.safetyBackup?.record.response && 'made-4');
  });

  test('whose safety backup is not applied is not begun', async () => {
    for (const react of [() => 'drop', () => ({ status: 422, body: {} })] satisfies HistoryScene['react'][]) {
      const scene = await setHistoryScene(react);
      const { safetyBackup } = await scene.changeWithoutBackup(restore, { safetyLabel });
      expect(safetyBackup.record).toMatchObject({
        operation: 'backup.create',
        id: expect.stringMatching(/\.1$/),
      });
      expect(scene.records()).toHaveLength(1);
      expect(scene.server.received.every(({ path: to }) => to.endsWith('/backups'))).toBe(true);
    }
  });

  test('whose safety backup has no id is not begun', async () => {
    const scene = await setHistoryScene(() => ({ status: 201, body: { label: 'Safety backup' } }));
    const { safetyBackup } = await scene.changeWithoutBackup(restore, { safetyLabel });
    expect(safetyBackup.record.operation).toBe('backup.create');
    expect(scene.server.received).toHaveLength(1);
  });
});

describe('a clock that jumps by years', () => {
  test.each([
    ['back and right again', -year, 0],
    ['forth and right again', year, 0],
    ['back', 0, -year],
    ['back by four hours', 0, -4 * hour],
    ['forth', 0, year],
  ])('%s does not put an older value over a newer one, or call a key young', async (_, first, second) => {
    const scene = await setHistoryScene(() => 'drop');
    scene.ahead = first;
    const lost = await scene.change(rename('A'));
    const opened = await scene.change(dispute);
    scene.react = () => 'answer';
    scene.ahead = second;
    scene.server.clear();
    await scene.change(rename('B'));
    expect(await scene.resume(lost.record.id)).toMatchObject({ action: 'superseded' });
    expect(await scene.resume(opened.record.id)).toMatchObject({ action: 'left_open', reason: 'too_old' });
    await expect(scene.change(dispute)).rejects.toMatchObject({ reason: 'in_doubt' });
    expect(scene.server.received.map(({ body }) => body)).toEqual(['{"name":"B"}']);
  });
});

describe('what the store asked to wait', () => {
  test.each(['99999999999999999999', String(365 * 24 * 3600)])(
    'of %s seconds is kept for an hour, and resume neither crashes nor waits on',
    async (retryAfter) => {
      const headers = { 'retry-after': retryAfter };
      const scene = await setHistoryScene(() => ({ status: 503, body: {}, headers }));
      const { record } = await scene.change(backup);
      expect(record.state).toBe('unknown');
      scene.react = () => 'answer';
      const waits: number[] = [];
      const client = { ...scene.client, pause: (ms: number) => void waits.push(ms) };
      scene.ahead = hour / 2;
      await scene.change(post, { client });
      expect(waits.at(-1)).toBeGreaterThan(0);
      expect(waits.at(-1)).toBeLessThanOrEqual(hour / 2);
      for (const ahead of [hour + 60_000, year, -60_000, -year]) {
        scene.ahead = ahead;
        await scene.change({ ...post, body: { title: String(ahead), contentMd: 'x' } }, { client });
        expect(waits.at(-1)).toBe(0);
      }
      scene.ahead = 0;
      const resumed = await scene.resume(record.id, { client, isConfirmed: true, safetyLabel });
      expect(resumed).toMatchObject({ action: 'sent' });
    },
  );

  test('holds for other changes of the store too, of any operation, and of a refusal', async () => {
    const scene = await setHistoryScene(() => ({
      status: 429,
      body: {},
      headers: { 'retry-after': '1000' },
    }));
    const { outcome } = await scene.change(backup);
    expect(outcome.kind).toBe('rejected');
    scene.react = () => 'answer';
    const waits: number[] = [];
    const client = { ...scene.client, pause: (ms: number) => void waits.push(ms) };
    await scene.change(rename('A'), { client });
    expect(waits[0]).toBeGreaterThan(900_000);
    expect(waits[0]).toBeLessThanOrEqual(1_000_000);
  });
});

test('settings in doubt that read as before are saved again; settings that changed since are not', async () => {
  for (const [shown, action, methods] of [
    [replacedSettings, 'sent', ['GET', 'PUT']],
    [{ ...replacedSettings, links: ['a'] }, 'left_open', ['GET']],
    [{ ...save.body, updatedAt: 'now' }, 'settled', ['GET']],
    [{ ...replacedSettings, updatedAt: 'later' }, 'left_open', ['GET']],
  ] as const) {
    const scene = await setHistoryScene(() => 'drop');
    const { record } = await scene.change(save);
    scene.server.clear();
    scene.react = ({ method }) => ({ status: 200, body: method === 'GET' ? shown : save.body });
    expect((await scene.resume(record.id)).action).toBe(action);
    expect(scene.methods()).toEqual(methods);
  }
});

test('a change reads the newest of its operation and what is open, however old; not the rest', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const lost = await scene.change(post);
  scene.react = () => 'answer';
  for (let run = 0; run < 22; run += 1) await scene.change(rename(String(run)));
  await scene.change(dispute);
  const read = (all: boolean) =>
    scene
      .open()
      .snapshot()
      .openAndRecent('store.update', { all })
      .map(({ body }) => body);
  expect(read(false)).toHaveLength(23);
  scene.ahead = 3 * 24 * hour;
  const newest = Array.from({ length: 20 }, (_, index) => JSON.stringify({ name: String(21 - index) }));
  expect(read(false)).toEqual([...newest, lost.record.body]);
  expect(read(true)).toHaveLength(23);
  scene.ahead = -year;
  expect(read(false)).toHaveLength(23);
});

test('a change lists the names in the folder once: there may be thousands', async () => {
  const scene = await setHistoryScene();
  await scene.change(rename('A'));
  let listed = 0;
  const readdirSync = ((folder: string) => {
    listed += folder === scene.folder ? 1 : 0;
    return nodeFileSystem.readdirSync(folder);
  }) as typeof nodeFileSystem.readdirSync;
  const { record } = await scene.change(rename('B'), { fileSystem: { ...nodeFileSystem, readdirSync } });
  expect([record.number, listed]).toEqual([2, 1]);
});
