import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { saveSettings } from '../../src/contract/operations/settings.ts';
import { updateStore } from '../../src/contract/operations/store.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import type { PerformOptions } from '../../src/history/sending/execute.ts';
import { markRecord, unsettledRecords } from '../../src/history/sending/resume.ts';
import { backup, decision, post, type Scene, signalled, startScene } from './helpers/scene.ts';
import type { Reaction } from './helpers/store-server.ts';

const HOUR = 3_600_000;
const update = { operation: updateStore, body: { name: 'Shop' } };
const busy = { status: 503, body: {} } as const;

/** A change whose answer was lost, and then a service that answers again. */
async function lose(
  scene: Scene,
  what: Pick<PerformOptions, 'operation' | 'body'> & Partial<PerformOptions>,
): Promise<HistoryRecord> {
  scene.react = ({ method }) => (method === 'GET' ? busy : 'drop');
  const { record } = await scene.perform(what);
  expect(record.state).toBe('unknown');
  scene.react = () => 'answer';
  return record;
}

/** How many requests came since. */
function countFrom({ server }: Scene): () => number {
  const before = server.received.length;
  return () => server.received.length - before;
}

describe('resume of what has ended', () => {
  test.each([
    ['applied', 'answer'],
    ['rejected', { status: 422, body: { code: 'c', errors: [{ pointer: '/title', detail: 'too long' }] } }],
  ] as const)('reports that it was %s, and sends nothing', async (_kind, reaction) => {
    const scene = await startScene(() => reaction);
    const { record, outcome } = await scene.perform(post);
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toEqual({
      action: 'finished',
      record,
      isRecorded: true,
      outcome: 'drift' in outcome ? { ...outcome, drift: [] } : outcome,
      warnings: [],
    });
    expect(since()).toBe(0);
  });
});

test('resume of what could not be sent reports that, and why', async () => {
  const scene = await startScene();
  await scene.server.close();
  const { record, outcome } = await scene.perform(post);
  expect(outcome).toMatchObject({ kind: 'not_sent', failure: { code: 'connection_refused' } });
  expect(await scene.resume(record.id)).toMatchObject({ action: 'finished', outcome });
});

describe('resume sends nothing', () => {
  test('for an operation that this version does not know, and says to update', async () => {
    const scene = await startScene();
    const record = await lose(scene, backup);
    scene.writeRecord(record.id, { operation: 'coupons.create' });
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({
      action: 'left',
      reason: 'unknown_operation',
      advice: expect.stringMatching(/does not support coupons\.create\. Update storectl/),
    });
    expect(since()).toBe(0);
  });

  test('for a request outside of the contract, and says how to close it', async () => {
    const scene = await startScene();
    const record = await lose(scene, { ...post, operation: { ...post.operation, id: 'api' } });
    scene.ahead = 30 * HOUR;
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({
      action: 'left',
      reason: 'one_shot',
      advice: expect.stringContaining(`storectl resume ${record.id} --mark applied`),
    });
    expect(since()).toBe(0);
  });

  test.each([
    ['a key that may be forgotten', backup, 'apply it twice'],
    ['values that others may have changed', update, 'would undo what others have changed'],
  ])('after 20 hours for %s, and says why', async (_what, what, why) => {
    const scene = await startScene();
    const record = await lose(scene, what);
    scene.ahead = 20 * HOUR + 1_000;
    const since = countFrom(scene);
    const left = await scene.resume(record.id);
    expect(left).toMatchObject({ reason: 'too_old', advice: expect.stringContaining(why) });
    expect(since()).toBe(0);
  });

  test('with --dry-run, and the record stays open', async () => {
    const scene = await startScene();
    const record = await lose(scene, backup);
    const since = countFrom(scene);
    expect(await scene.resume(record.id, { withoutSending: true })).toMatchObject({
      action: 'left',
      reason: 'not_settled',
      advice: expect.stringMatching(/^Not sent again, because of --dry-run\. Run `storectl resume \S+`/),
    });
    expect(since()).toBe(0);
    expect(await scene.history.get(record.id)).toEqual(record);
  });

  test('while any record is damaged', async () => {
    const scene = await startScene();
    const record = await lose(scene, backup);
    writeFileSync(path.join(scene.folder, '20260101-000000-aaaaaa.json'), '');
    const since = countFrom(scene);
    const later = { history: scene.reopen() };
    await expect(scene.resume(record.id, later)).rejects.toMatchObject({ code: 'history_damaged' });
    await expect(markRecord(later, record.id, 'applied')).rejects.toMatchObject({ code: 'history_damaged' });
    expect(since()).toBe(0);
    expect(await scene.history.get(record.id)).toEqual(record);
  });

  test('for a one-shot change that a kill left as sent: its response is lost', async () => {
    const scene = await startScene();
    const { record } = await scene.perform(post);
    scene.writeRecord(record.id, { state: 'sent', answer: null });
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({
      reason: 'one_shot',
      record: {
        state: 'unknown',
        failure: { code: 'connection_lost', message: 'storectl exited before the response arrived' },
      },
    });
    expect(since()).toBe(0);
  });

  test('for a one-shot change that was never sent: it is closed, and the command may be run again', async () => {
    const scene = await startScene();
    const { record } = await scene.perform(post);
    scene.writeRecord(record.id, { state: 'prepared', attempts: 0, answer: null });
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({
      action: 'settled',
      isRecorded: true,
      record: { state: 'not_sent' },
      outcome: { kind: 'not_sent', attempts: 0, failure: { code: 'cancelled' } },
      warnings: ['Nothing was applied. Run the command again if you still want the change.'],
    });
    expect(since()).toBe(0);
    expect((await scene.history.list({ open: true })).records).toEqual([]);
  });
});

test('resume sends a change that was never sent, however old, because its key is fresh', async () => {
  const scene = await startScene();
  const { record } = await scene.perform(backup);
  scene.writeRecord(record.id, { state: 'prepared', attempts: 0, sentAt: null, answer: null });
  scene.ahead = 30 * HOUR;
  expect(await scene.resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
});

test('resume waits for the command that is still running, and says so', async () => {
  const { done: arrived, give: arrive } = signalled();
  const { done: waiting, give: waits } = signalled();
  const scene = await startScene(async (): Promise<Reaction> => {
    arrive();
    await waiting;
    return 'answer';
  });
  const running = scene.perform(backup);
  await arrived;
  const { records } = await scene.history.list();
  const cancel = new AbortController();
  const cancelled = scene.resume(records[0]?.id ?? '', { signal: cancel.signal });
  cancel.abort();
  await expect(cancelled).rejects.toMatchObject({ code: 'history_busy' });
  const resumed = await scene.resume(records[0]?.id ?? '', { onWait: waits });
  expect(resumed).toMatchObject({ action: 'finished', outcome: { kind: 'applied' } });
  await running;
  expect(scene.server.received).toHaveLength(1);
});

test('a keyed change in doubt is sent again whatever was applied since', async () => {
  const scene = await startScene();
  const record = await lose(scene, backup);
  scene.ahead = 1_000;
  await scene.perform({ ...backup, body: { ...backup.body, label: 'weekly' } });
  expect(await scene.resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
});

describe('a repeatable change in doubt', () => {
  test.each([
    ['an earlier one', {}, -HOUR],
    ['one of another store', { storeId: 'store-2' }, HOUR],
    ['one at another service', { origin: 'https://other' }, HOUR],
  ])('is sent again by resume in spite of %s that was applied', async (_what, change, ahead) => {
    const scene = await startScene();
    scene.ahead = ahead;
    await scene.perform({ ...update, body: { name: 'Other' }, ...change });
    scene.ahead = 0;
    const record = await lose(scene, update);
    expect(await scene.resume(record.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
  });

  test('does not go over a later one', async () => {
    const scene = await startScene();
    const record = await lose(scene, update);
    scene.ahead = 1_000;
    const later = await scene.perform({ ...update, body: { name: 'Later' } });
    expect(await scene.resume(record.id)).toMatchObject({
      reason: 'overtaken',
      advice: expect.stringContaining(`${later.record.id} was applied later`),
    });
  });

  test('does not go over a later one that is in doubt itself, and that one is sent again', async () => {
    const scene = await startScene();
    const record = await lose(scene, update);
    scene.ahead = 1_000;
    const later = await lose(scene, { ...update, body: { name: 'Later' } });
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({
      reason: 'overtaken',
      advice: expect.stringContaining(`${later.id} was sent later`),
    });
    expect(since()).toBe(0);
    expect(await scene.resume(later.id)).toMatchObject({ action: 'sent', outcome: { kind: 'applied' } });
  });

  test('is settled by a later one of the same values that the user has marked as applied', async () => {
    const scene = await startScene();
    const record = await lose(scene, update);
    scene.ahead = 1_000;
    const twin = await lose(scene, update);
    await markRecord(scene, twin.id, 'applied');
    expect(await scene.resume(record.id)).toMatchObject({
      action: 'settled',
      isRecorded: true,
      record: { state: 'applied', answer: null, failure: null },
      outcome: { kind: 'applied', body: null },
    });
  });

  test('is settled with the answer that the later one got', async () => {
    const scene = await startScene();
    const record = await lose(scene, update);
    scene.ahead = 1_000;
    const twin = await scene.perform(update);
    expect(await scene.resume(record.id)).toMatchObject({
      record: { answer: { body: twin.record.answer?.body, settledByReading: true }, failure: null },
    });
  });

  test('is settled by a later one, and the wait that the service asked for still holds', async () => {
    const scene = await startScene();
    const { answer } = (await scene.perform(update)).record;
    const record = await lose(scene, { operation: updateStore, body: { name: 'Other' } });
    const retryAt = Date.now() + HOUR;
    scene.writeRecord(record.id, { answer: { ...answer, status: 503, body: null, retryAt } });
    scene.ahead = 1_000;
    await scene.perform({ operation: updateStore, body: { name: 'Other' } });
    expect(await scene.resume(record.id)).toMatchObject({ action: 'settled', record: { state: 'applied' } });
    expect(scene.reopen().waitFor(record)).toBeGreaterThan(HOUR / 2);
  });
});

describe('what the user marks by hand', () => {
  test.each(['applied', 'not_sent'] as const)('is %s, told, and sent by nobody any more', async (found) => {
    const scene = await startScene();
    const record = await lose(scene, backup);
    const marked = await markRecord(scene, record.id.slice(-6), found);
    expect(marked).toMatchObject({
      id: record.id,
      state: found,
      reported: true,
      failure: { code: 'marked_by_hand' },
    });
    expect(await unsettledRecords(scene.history)).toEqual([]);
    const since = countFrom(scene);
    expect(await scene.resume(record.id)).toMatchObject({ action: 'finished' });
    expect(since()).toBe(0);
  });

  test('stays as it is if it has ended already', async () => {
    const scene = await startScene();
    const { record } = await scene.perform(backup);
    expect(await markRecord(scene, record.id, 'not_sent')).toEqual(record);
    scene.react = () => ({ status: 422, body: {} });
    const { record: refused } = await scene.perform(post);
    expect(await markRecord(scene, refused.id, 'applied')).toEqual(refused);
  });

  test('waits for the command that is still running, until cancelled', async () => {
    const scene = await startScene();
    const record = await lose(scene, backup);
    const lock = await scene.history.acquire(`record ${record.id}`);
    const signal = AbortSignal.timeout(30);
    await expect(markRecord({ ...scene, signal }, record.id, 'applied')).rejects.toMatchObject({
      code: 'history_busy',
    });
    lock.release();
    expect(await scene.history.get(record.id)).toEqual(record);
  });
});

test('resume lists what is open or was never told, oldest first', async () => {
  const scene = await startScene();
  const ids: string[] = [];
  for (const what of [backup, post, update]) {
    scene.ahead += 1_000;
    ids.push((await lose(scene, what)).id);
  }
  scene.ahead += 1_000;
  const untold = await scene.perform({ ...post, body: { title: 'Untold' } });
  const told = await scene.perform({ ...post, body: { title: 'Told' } });
  await scene.history.markReported([told.record]);
  const listed = (await unsettledRecords(scene.history)).map(({ id }) => id);
  expect(listed).toEqual([...ids, untold.record.id]);
});

describe('a decision in doubt', () => {
  const shows = (...records: object[]) => {
    const answers = records.map((record) => ({ status: 200, body: { record, evidence: [{ id: 'e' }] } }));
    return () => (answers.length > 1 ? answers.shift() : answers[0]) ?? busy;
  };
  const decided = { id: 'd-1', status: 'won', resolution: 'Delivered' };

  test('that is applied while it is read is settled, by the dispute without its evidence', async () => {
    const scene = await startScene();
    const record = await lose(scene, decision);
    scene.react = shows({ ...decided, status: 'open' }, decided);
    const since = countFrom(scene);
    expect(await scene.resume(record.id, { withoutSending: true })).toMatchObject({
      action: 'settled',
      isRecorded: true,
      outcome: { kind: 'applied', body: decided, text: JSON.stringify(decided), drift: [] },
      record: { state: 'applied', failure: null, answer: { settledByReading: true } },
      warnings: ['The response was lost, but the dispute shows the decision.'],
    });
    expect(since()).toBe(2);
  });

  test.each([
    ['has another decision', { ...decided, status: 'lost' }, /a different decision: lost\.$/],
    [
      'is still open',
      { ...decided, status: 'open' },
      /still open.*run `storectl resume \S+` again in a few minutes/,
    ],
    ['has no status', { id: 'd-1' }, /^Could not find out whether/],
  ])('stays so when the dispute %s, which is said', async (_what, dispute, advice) => {
    const scene = await startScene();
    const record = await lose(scene, decision);
    scene.react = shows(dispute);
    expect(await scene.resume(record.id)).toEqual({
      action: 'left',
      reason: 'not_settled',
      record,
      advice: expect.stringMatching(advice),
    });
    expect(scene.methods().filter((method) => method === 'POST')).toHaveLength(1);
  });

  test.each([
    ['the status alone, where the service does not keep the reason', { id: 'D-1', status: 'won' }],
    ['a reason without the spaces around it', decided],
  ])('is proven by %s', async (_what, dispute) => {
    const scene = await startScene();
    const body = { ...decision.body, resolution: ' Delivered\n' };
    const record = await lose(scene, { ...decision, body });
    scene.react = shows(dispute);
    expect(await scene.resume(record.id)).toMatchObject({ action: 'settled' });
  });

  test('ends at once when the user cancels between two looks', async () => {
    const scene = await startScene();
    const record = await lose(scene, decision);
    const cancel = new AbortController();
    scene.react = () => {
      setTimeout(() => cancel.abort(), 20);
      return shows({ ...decided, status: 'open' })();
    };
    const since = countFrom(scene);
    const resumed = scene.resume(record.id, { settlePauseMs: 60_000, signal: cancel.signal });
    expect(await resumed).toMatchObject({ action: 'left' });
    expect(since()).toBe(1);
  });

  test('that a kill left as sent is settled by reading too', async () => {
    const scene = await startScene(() => ({ status: 200, body: decided }));
    const { record } = await scene.perform(decision);
    scene.writeRecord(record.id, { state: 'sent', answer: null });
    scene.react = () => busy;
    expect(await scene.resume(record.id)).toMatchObject({
      record: { state: 'unknown', failure: { message: 'storectl exited before the response arrived' } },
    });
    scene.react = shows(decided);
    expect(await scene.resume(record.id)).toMatchObject({ action: 'settled', record: { state: 'applied' } });
  });
});

describe('settings in doubt', () => {
  const wanted = {
    quietHours: { enabled: true, start: null },
    discovery: { categories: ['a', 'b'], tags: [], links: [{ url: 'u' }] },
    mobile: {},
  };
  const former = { quietHours: { enabled: false }, updatedAt: 'then' };
  const save = { operation: saveSettings, body: wanted, former: JSON.stringify(former) };
  const whole = { quietHours: { enabled: true }, discovery: wanted.discovery, mobile: {}, updatedAt: 'now' };

  test.each<[string, unknown, boolean]>([
    ['all that was sent, and more', whole, true],
    ['a value that was to be removed', { ...whole, quietHours: { enabled: true, start: '21:00' } }, false],
    ['a longer list', { ...whole, discovery: { ...wanted.discovery, categories: ['a', 'b', 'c'] } }, false],
    [
      'a list in another order',
      { ...whole, discovery: { ...wanted.discovery, categories: ['b', 'a'] } },
      false,
    ],
    ['no list', { ...whole, discovery: { ...wanted.discovery, tags: {} } }, false],
    ['a text in place of an empty object', { ...whole, mobile: 'on' }, false],
    ['a list in place of an empty object', { ...whole, mobile: [] }, false],
    ['a list in place of an object', { ...whole, quietHours: [] }, false],
    ['a text in place of an object', { ...whole, quietHours: 'on' }, false],
    [
      'another value deep inside',
      { ...whole, discovery: { ...wanted.discovery, links: [{ url: 'v' }] } },
      false,
    ],
    ['less than was sent', { quietHours: { enabled: true } }, false],
  ])('that read %s: applied only if all of it is there', async (_what, document, isApplied) => {
    const scene = await startScene();
    const record = await lose(scene, save);
    scene.react = () => ({ status: 200, body: document });
    const since = countFrom(scene);
    const { record: after, ...rest } = await scene.resume(record.id);
    expect(after.state).toBe(isApplied ? 'applied' : 'unknown');
    expect(rest).toMatchObject(
      isApplied
        ? { action: 'settled', warnings: ['The response was lost, but the settings match what was sent.'] }
        : { action: 'left', advice: expect.stringContaining('Check them before you save again') },
    );
    expect(since()).toBe(1);
  });

  test('are settled by reading however old they are', async () => {
    const scene = await startScene();
    const record = await lose(scene, save);
    scene.ahead = 30 * 24 * HOUR;
    scene.react = () => ({ status: 200, body: whole });
    expect(await scene.resume(record.id)).toMatchObject({ action: 'settled' });
  });

  test('that cannot be read stay so', async () => {
    const scene = await startScene();
    const record = await lose(scene, save);
    scene.react = () => ({ status: 403, body: {} });
    expect(await scene.resume(record.id)).toMatchObject({
      action: 'left',
      advice: expect.stringMatching(/^Could not find out/),
    });
    expect(scene.methods().filter((method) => method === 'PUT')).toHaveLength(4);
  });

  test('that read as before are not saved again with --dry-run', async () => {
    const scene = await startScene();
    const record = await lose(scene, save);
    scene.react = () => ({ status: 200, body: former });
    expect(await scene.resume(record.id, { withoutSending: true })).toMatchObject({
      reason: 'not_settled',
      advice: expect.stringMatching(/^Not sent again/),
    });
    expect(scene.methods().filter((method) => method === 'PUT')).toHaveLength(4);
  });

  test('without a former document are never saved again', async () => {
    const scene = await startScene();
    const record = await lose(scene, { ...save, former: null });
    scene.react = () => ({ status: 200, body: former });
    expect(await scene.resume(record.id)).toMatchObject({ action: 'left', reason: 'not_settled' });
    expect(scene.methods().filter((method) => method === 'PUT')).toHaveLength(4);
  });
});
