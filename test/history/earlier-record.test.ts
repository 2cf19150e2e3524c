import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { restoreBackup } from '../../src/contract/operations/backups.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import { backup, decision, post, signalled, startScene } from './helpers/scene.ts';
import type { Reaction } from './helpers/store-server.ts';

/** What a command is told about the earlier record that it continues. */
function listen() {
  const told: [string, boolean][] = [];
  return { told, onEarlierRecord: (record: HistoryRecord, open: boolean) => told.push([record.id, open]) };
}

describe('the same command again', () => {
  test('after a kill before it was sent is sent with the same key, and says that it continues', async () => {
    const scene = await startScene();
    const { record } = await scene.perform(backup);
    scene.writeRecord(record.id, { state: 'prepared', attempts: 0, sentAt: null, answer: null });
    const { told, onEarlierRecord } = listen();
    const again = await scene.perform({ ...backup, onEarlierRecord });
    expect(again.record).toMatchObject({ id: record.id, state: 'applied', attempts: 1 });
    expect(told).toEqual([[record.id, true]]);
    expect(scene.server.effects).toEqual(['made-1']);
  });

  test('after an answer that was never printed gets that answer, and says that it was applied before', async () => {
    const scene = await startScene();
    const { record } = await scene.perform(backup);
    const { told, onEarlierRecord } = listen();
    expect(await scene.perform({ ...backup, onEarlierRecord })).toEqual({
      record,
      isRecorded: true,
      outcome: expect.objectContaining({ kind: 'applied', body: { id: 'made-1' } }),
      warnings: [],
    });
    expect(told).toEqual([[record.id, false]]);
    expect(scene.server.received).toHaveLength(1);
  });

  test('does not continue an open record of another command', async () => {
    const scene = await startScene(() => 'drop');
    const { record } = await scene.perform(backup);
    scene.react = () => 'answer';
    const other = await scene.perform({ ...backup, body: { ...backup.body, label: 'weekly' } });
    expect(other.record.id).not.toBe(record.id);
    expect(await scene.history.get(record.id)).toMatchObject({ state: 'unknown' });
    expect(scene.server.effects).toHaveLength(2);
  });

  test('without a body gets a key too', async () => {
    const scene = await startScene();
    const restore = { operation: restoreBackup, parameters: { backupId: 'b-1' }, body: null };
    const { record } = await scene.perform(restore);
    expect(record.idempotencyKey).toMatch(/^made-key/);
    expect((await scene.perform(restore)).record.id).toBe(record.id);
    expect(scene.server.received).toHaveLength(1);
  });
});

describe('two processes with one key', () => {
  const shared = { ...backup, body: { ...backup.body, idempotencyKey: 'shared' } };

  test('the second reports the first one’s unknown outcome instead of sending at once again', async () => {
    const { done: arrived, give: arrive } = signalled();
    const { done: waiting, give: waits } = signalled();
    const scene = await startScene(async (): Promise<Reaction> => {
      arrive();
      await waiting;
      return { status: 303, body: {} };
    });
    const { told, onEarlierRecord } = listen();
    const first = scene.perform(shared);
    await arrived;
    const second = scene.perform({ ...shared, onEarlierRecord, onWait: waits });
    const [one, other] = await Promise.all([first, second]);
    expect(one.outcome.kind).toBe('unknown');
    expect(other).toMatchObject({ outcome: { kind: 'unknown', status: 303 }, warnings: [] });
    expect(told).toEqual([[one.record.id, false]]);
    expect(scene.server.received).toHaveLength(1);
  });

  test('a wait that nobody asked to hear of ends like any other', async () => {
    const scene = await startScene(async (): Promise<Reaction> => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return 'answer';
    });
    const both = await Promise.all([scene.perform(shared), scene.perform(shared)]);
    expect(both.map(({ outcome }) => outcome.kind)).toEqual(['applied', 'applied']);
    expect(scene.server.received).toHaveLength(1);
  });

  test('a lock that cannot be read stops the command, and the doubt stays on record', async () => {
    const scene = await startScene(() => 'drop');
    const { record } = await scene.perform(backup);
    const client: typeof scene.client = {
      ...scene.client,
      send(...request) {
        const lock = path.join(scene.folder, 'locks', scene.lockFiles()[0] ?? '');
        rmSync(lock);
        mkdirSync(lock);
        return scene.client.send(...request);
      },
    };
    await expect(scene.perform({ ...backup, client })).rejects.toMatchObject({ code: 'history_unreadable' });
    expect(await scene.history.get(record.id)).toMatchObject({ state: 'unknown' });
  });
});

describe('a decision', () => {
  test('is sent while one of another dispute is in doubt, and touches no other open record', async () => {
    const scene = await startScene(({ method }) => (method === 'GET' ? { status: 503, body: {} } : 'drop'));
    const other = await scene.perform({ ...decision, parameters: { disputeId: 'd-2' } });
    const open = [other, await scene.perform(backup)];
    scene.react = () => ({ status: 200, body: { id: 'd-1', status: 'won' } });
    const before = scene.server.received.length;
    expect((await scene.perform(decision)).outcome.kind).toBe('applied');
    expect(scene.server.received.slice(before).map(({ path: where }) => where)).toEqual([
      '/v1/stores/store-1/operations/disputes/d-1/decision',
    ]);
    for (const { record } of open) expect(await scene.history.get(record.id)).toEqual(record);
  });

  test('is not sent while one of the same dispute is in doubt whose id was written in other letters', async () => {
    const disputeId = '01a2c1f0-7d1e-7c3a-9b52-0f48197d60fe';
    const shown = { status: 200, body: { record: { id: disputeId, status: 'open' }, evidence: [] } };
    const scene = await startScene(({ method }) => (method === 'GET' ? shown : 'drop'));
    const { record } = await scene.perform({ ...decision, parameters: { disputeId } });
    const inCapitals = { ...decision, parameters: { disputeId: disputeId.toUpperCase() } };
    await expect(scene.perform(inCapitals)).rejects.toMatchObject({
      name: 'EarlierRequestError',
      message: expect.stringContaining(`${record.id}) may have been applied`),
    });
    // Version 0.1.0 wrote it as it was typed.
    scene.writeRecord(record.id, { path: record.path.replace(disputeId, disputeId.toUpperCase()) });
    await expect(scene.perform({ ...decision, parameters: { disputeId } })).rejects.toMatchObject({
      name: 'EarlierRequestError',
    });
    expect(scene.methods().filter((method) => method === 'POST')).toHaveLength(1);
  });

  test.each([{}, { id: 7, status: 8 }])(
    'is applied by an answer that contradicts nothing: %j',
    async (body) => {
      const scene = await startScene(() => ({ status: 200, body }));
      expect((await scene.perform(decision)).outcome.kind).toBe('applied');
    },
  );

  test('that a killed process never sent does not stop the next', async () => {
    const scene = await startScene(() => ({ status: 200, body: { id: 'd-1', status: 'won' } }));
    const { record } = await scene.perform(decision);
    scene.writeRecord(record.id, { state: 'prepared', attempts: 0, sentAt: null, answer: null });
    expect((await scene.perform(decision)).outcome.kind).toBe('applied');
    expect(await scene.history.get(record.id)).toMatchObject({ state: 'not_sent' });
    expect(scene.methods()).toEqual(['POST', 'POST']);
  });
});

test('what is sent has no If-Match unless the command has one', async () => {
  const scene = await startScene();
  await scene.perform(post);
  await scene.perform({ ...post, ifMatch: '"7"' });
  expect(scene.server.received.map(({ ifMatch }) => ifMatch)).toEqual([undefined, '"7"']);
});
