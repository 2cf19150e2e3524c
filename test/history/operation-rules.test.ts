import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/operations/operations.ts';
import { rulesOf } from '../../src/history/operation-rules.ts';
import { RefusedError } from '../../src/history/record/errors.ts';
import { appeal, decision, dispute, endpoint, hour, post, setHistoryScene } from './helpers/scene.ts';

describe('the same command again', () => {
  test('a dispute in doubt is continued with its key and bytes', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const first = await scene.change(dispute);
    scene.react = () => 'answer';
    const second = await scene.change(dispute);
    expect(second.record).toMatchObject({ id: first.record.id, state: 'applied' });
    expect(new Set(scene.server.received.map(({ body }) => body)).size).toBe(1);
    const third = await scene.change(dispute);
    expect(third.record.id).not.toBe(first.record.id);
  });

  test('a dispute in doubt for more than 20 hours is refused until it is marked', async () => {
    const scene = await setHistoryScene(() => 'drop');
    const first = await scene.change(dispute);
    scene.react = () => 'answer';
    scene.ahead = 21 * hour;
    await expect(scene.change(dispute)).rejects.toMatchObject({
      reason: 'in_doubt',
      earlier: { id: first.record.id },
    });
  });

  test.each([
    ['a post', post],
    ['an endpoint', endpoint],
    ['an appeal', appeal],
  ])('%s in doubt is refused', async (_, request) => {
    const scene = await setHistoryScene(() => 'drop');
    await scene.change(request);
    scene.react = () => 'answer';
    await expect(scene.change(request)).rejects.toBeInstanceOf(RefusedError);
    const writes = () => scene.methods().filter((method) => method !== 'GET');
    expect(writes()).toHaveLength(1);
    await scene.change({ ...request, allowDuplicate: true });
    expect(writes()).toHaveLength(2);
  });
});

test('a decision in doubt is read before the same command is sent', async () => {
  const scene = await setHistoryScene(() => 'drop');
  await scene.change(decision);
  scene.react = ({ method }) => (method === 'POST' ? 'answer' : 'drop');
  await expect(scene.change(decision)).rejects.toMatchObject({ reason: 'in_doubt' });
});

test.each<[string, unknown[], object]>([
  [
    'shows it, but for the blanks around its resolution',
    [{ resolution: 'Delivered \n' }],
    { action: 'settled' },
  ],
  ['shows no resolution', [{ resolution: null }], { action: 'settled' }],
  ['shows it the second time', [{ status: 'open' }, {}], { action: 'settled' }],
  ['shows it open', [{ status: 'open' }], { action: 'left_open', proofResult: 'untouched' }],
  ['shows another resolution', [{ resolution: 'Lost' }], { action: 'left_open', proofResult: 'other' }],
  ['shows another dispute', [{ id: 'd-2' }], { action: 'left_open', proofResult: 'unanswered' }],
])('a decision in doubt, and a read that %s', async (_, shown, expected) => {
  const same = { id: 'd-1', ...decision.body };
  const record = (index: number) => ({ ...same, ...Object(shown[Math.min(index, shown.length - 1)]) });
  const scene = await setHistoryScene(() => 'drop');
  const lost = await scene.change(decision);
  scene.server.clear();
  scene.react = (_, number) => ({ status: 200, body: { record: record(number - 1), evidence: [] } });
  expect(await scene.resume(lost.record.id)).toMatchObject(expected);
});

test('a decision whose response is lost is settled by reading at once, and the record says so', async () => {
  const shown = { record: { id: 'd-1', ...decision.body }, evidence: [] };
  const scene = await setHistoryScene(({ method }) =>
    method === 'GET' ? { status: 200, body: shown } : 'drop',
  );
  const { record } = await scene.change(decision);
  expect(record).toMatchObject({ state: 'applied', response: { settledByReading: true } });
});

test('a decision that was applied and not reported is reported by the same one, and not sent again', async () => {
  const scene = await setHistoryScene(() => ({ status: 200, body: { id: 'd-1', status: 'won' } }));
  const killed = await scene.changeAndDie(decision);
  expect(await scene.change(decision)).toMatchObject({
    isEarlier: true,
    record: { id: killed.record.id },
    outcome: { kind: 'applied' },
  });
  expect(scene.methods()).toEqual(['POST']);
  // Now it is known: asked for once more, it is a question to the service.
  await scene.change(decision);
  expect(scene.methods()).toEqual(['POST', 'POST']);
});

test('another decision than one in doubt that a read shows as applied is not sent', async () => {
  const scene = await setHistoryScene(() => 'drop');
  await scene.change(decision);
  scene.server.clear();
  const shown = { record: { id: 'd-1', status: 'won', resolution: 'Delivered' }, evidence: [] };
  scene.react = () => ({ status: 200, body: shown });
  const other = { ...decision, body: { status: 'lost', resolution: 'Too late' } };
  await expect(scene.change(other)).rejects.toMatchObject({ reason: 'changed_meanwhile' });
  expect(scene.methods()).toEqual(['GET']);
});

test('the README of the history has a row for each operation that changes something, and says what undoes it', () => {
  const text = readFileSync(new URL('../../src/history/README.md', import.meta.url), 'utf8');
  const rows = text.match(/^\| `\w+\.[\w-]+` .*/gm) ?? [];
  const described = rows.map((row) => [row.split('`')[1], !row.endsWith('| – |')]);
  const changing = operations.filter((operation) => operation.class !== 'read');
  expect(described.sort()).toEqual(changing.map(({ id }) => [id, rulesOf(id).undo !== undefined]).sort());
});

test('a row that reads first is not ordered: it resumes while it holds a lock, and would wait for the other', () => {
  const rules = operations.map(({ id }) => rulesOf(id));
  expect(rules.filter(({ onSameCommand, inOrder }) => onSameCommand === 'read' && inOrder)).toEqual([]);
});
