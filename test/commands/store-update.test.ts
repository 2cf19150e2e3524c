import { describe, expect, test } from 'vitest';
import { answer, type Behaviour } from '../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../helpers/scene.ts';

const keys = { 'service-features': 'reads, keys' };
const moved = answer(412, { code: 'etag_mismatch' }, { ...keys, 'idempotency-kept': 'true' });

function store(name: string, etag: string, more: object = {}): Behaviour {
  const body = { id: scriptedStore.storeId, name, settings: { cashbackBp: 100 }, ...more };
  return answer(200, body, { ...keys, etag });
}

const rename = ['store', 'update', '--name', 'Outlet'];

describe('store update', () => {
  test('reads the store first, and is sent with its ETag and the key of the read', async () => {
    const { server, machine } = await setScene({
      answers: [store('Shop', '"1"'), store('Outlet', '"2"')],
      hasReads: true,
    });

    const { exitCode, stderr } = await machine.run(rename);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('Name  Outlet  (was Shop)');
    expect(stderr).toMatch(/^Undo: storectl undo /m);
    const [read, sent] = server.requests;
    expect(read).toMatchObject({ method: 'GET', path: `/v1/stores/${scriptedStore.storeId}` });
    expect(sent).toMatchObject({ method: 'PATCH', headers: { 'if-match': '"1"' } });
    expect(sent?.headers['idempotency-key']).toBe(read?.headers['idempotency-key']);
    const [record] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    expect(record.idempotencyKey).toBe(sent?.headers['idempotency-key']);
  });

  test('that changes nothing is not sent', async () => {
    const { server, machine } = await setScene({ answers: [store('Outlet', '"1"')], hasReads: true });

    const update = await machine.run([...rename, '--cashback-bp', '100']);
    const quiet = await machine.run([...rename, '-q']);

    expect(update).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^No changes; nothing was sent\.\n$/m),
    });
    expect(update.stderr).not.toMatch(/✓|Undo/);
    expect(quiet.stdout).toBe(`${scriptedStore.storeId}\n`);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test.each([
    [
      'does not apply the key once',
      answer(200, { name: 'Shop' }, { 'service-features': 'reads', etag: '"1"' }),
    ],
    ['cannot be asked', answer(405, {})],
    ['does not let the key read', answer(403, { code: 'forbidden' }, keys)],
    ['shows something without saying that it can be asked', answer(200, { name: 'Shop' }, { etag: '"1"' })],
  ])('is sent without If-Match where the service %s', async (_, read) => {
    const { server, machine } = await setScene({ answers: [read, store('Outlet', '"2"')], hasReads: true });

    expect(await machine.run(rename)).toMatchObject({ exitCode: 0 });

    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    expect(server.requests[1]?.headers).not.toHaveProperty('if-match');
    expect(server.requests[1]?.headers).toHaveProperty('idempotency-key');
  });

  test('that meets a change of other fields is sent again as a new change', async () => {
    const { server, machine } = await setScene({
      answers: [
        store('Shop', '"1"'),
        moved,
        store('Shop', '"2"', { slug: 'changed' }),
        store('Outlet', '"3"'),
      ],
      hasReads: true,
    });

    expect(await machine.run(rename)).toMatchObject({ exitCode: 0 });

    const [, first, , second] = server.requests;
    expect(second?.headers['if-match']).toBe('"2"');
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
    const records = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    expect(records).toMatchObject([{ state: 'applied' }, { state: 'rejected' }]);
  });

  test('that meets the same change of another user is sent again: it overwrites nothing', async () => {
    const { machine } = await setScene({
      answers: [store('Shop', '"1"'), moved, store('Outlet', '"2"'), store('Outlet', '"2"')],
      hasReads: true,
    });

    expect(await machine.run(rename)).toMatchObject({ exitCode: 0 });
  });

  test('that meets such changes three times ends with exit 6', async () => {
    const again = store('Shop', '"2"');
    const { server, machine } = await setScene({
      answers: [again, moved, again, moved, again, moved, again],
      hasReads: true,
    });

    expect(await machine.run(rename)).toMatchObject({ exitCode: 6 });

    expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
  });

  test('that meets a change of the same field overwrites nothing: exit 6 names the field', async () => {
    const { server, machine } = await setScene({
      answers: [store('Shop', '"1"'), moved, store('Theirs', '"2"')],
      hasReads: true,
    });

    const { exitCode, stderr } = await machine.run([...rename, '--json']);

    expect(exitCode).toBe(6);
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'changed_since',
      message: 'Name changed since the store was read',
      outcome: 'rejected',
    });
    expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  });
});

describe('undo of a store update', () => {
  /** The id of an update from Shop to Outlet, and what the service answers after it. */
  async function updated(...script: readonly Behaviour[]) {
    const scene = await setScene({
      answers: [store('Shop', '"1"'), store('Outlet', '"2"'), ...script],
      hasReads: true,
    });
    await scene.machine.run(rename);
    const [{ id }] = JSON.parse((await scene.machine.run(['history', 'list', '--json'])).stdout);
    return { ...scene, id };
  }

  test('reads the store first, and puts the value before back', async () => {
    const { server, machine, id } = await updated(store('Outlet', '"2"'), store('Shop', '"3"'));

    const { exitCode, stderr } = await machine.run(['undo', id]);

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Undid ${id}`),
    });
    const [read, sent] = server.requests.slice(2);
    expect(sent).toMatchObject({ method: 'PATCH', body: '{"name":"Shop"}', headers: { 'if-match': '"2"' } });
    expect(sent?.headers['idempotency-key']).toBe(read?.headers['idempotency-key']);
  });

  test('whose field another user has changed since is refused to a script: exit 6, nothing is sent', async () => {
    const { server, machine, id } = await updated(store('Theirs', '"3"'));

    const { exitCode, stderr } = await machine.run(['undo', id]);

    expect(exitCode).toBe(6);
    expect(stderr).toContain(`Name changed again since ${id}`);
    expect(stderr).toContain('Theirs');
    expect(server.requests.slice(2).map(({ method }) => method)).toEqual(['GET']);
  });

  test('changes nothing where the store has the values from before already', async () => {
    const { server, machine, id } = await updated(store('Shop', '"3"'));

    const undone = await machine.run(['undo', id, '--json']);

    expect(undone.exitCode).toBe(0);
    expect(JSON.parse(undone.stdout)).toMatchObject({ name: 'Shop', changed: false });
    expect(server.requests.slice(2).map(({ method }) => method)).toEqual(['GET']);
  });
});
