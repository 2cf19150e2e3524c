import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/library/client.ts';
import { createHistory } from '../../src/library/history.ts';
import { type Scene, setScene } from '../helpers/scene.ts';

/** Long enough for a slow machine. */
const longTimeoutMs = 30_000;

function connect({ service, proxy, machine }: Scene, timeoutMs = longTimeoutMs) {
  const folder = path.join(machine.stateDirectory, 'history');
  const at = { baseUrl: proxy.origin, storeId: service.storeId };
  const client = createClient({
    ...at,
    apiKey: service.apiKey,
    history: createHistory({ folder, ...at }),
    timeoutMs,
  });
  onTestFinished(() => client.close());
  return client;
}

type Update = (scene: Scene, name: string, timeoutMs?: number) => Promise<unknown>;

const byLibrary: Update = (scene, name, timeoutMs) => connect(scene, timeoutMs).updateStore({ name });
const byApi: Update = ({ machine }, name, timeoutMs = longTimeoutMs) => {
  const timeout = ['--timeout', String(timeoutMs / 1000)];
  return machine.run(['api', 'PATCH', '/v1/stores/{store}', '-f', `name=${name}`, ...timeout]);
};

async function nameOf({ service }: Scene): Promise<unknown> {
  const [store] = await service.storage.read((db) => db.selectFrom('stores').select('name').execute());
  return store?.name;
}

/** Another user of the store, on a machine that remembers nothing. */
async function changeAsAnother({ service }: Scene, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const { storeId, apiKey, origin: baseUrl } = service;
  const colleague = createClient({ baseUrl, storeId, apiKey });
  expect(await colleague.updateStore(fields)).toMatchObject({ kind: 'applied' });
  await colleague.close();
}

const updates: [string, Update][] = [
  ['the library', byLibrary],
  ['`api`', byApi],
];

test.each(updates)(
  'an update of the store by %s that never arrived is not put over a later one of another user',
  async (_, update) => {
    const scene = await setScene();
    scene.proxy.decide(({ method }) => (method === 'GET' ? 'pass' : 'lose'));
    await update(scene, 'Mine', 2_000);
    scene.proxy.decide(() => 'pass');
    await changeAsAnother(scene, { name: 'Theirs' });

    const { exitCode, stdout } = await scene.machine.run(['resume', '--json']);

    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject([
      { operation: 'store.update', action: 'sent', state: 'rejected' },
    ]);
    expect(await nameOf(scene)).toBe('Theirs');
  },
);

test.each(updates)(
  'one by %s is sent anew where others have changed other fields since it was read',
  async (_, update) => {
    const scene = await setScene();
    let isChanged = false;
    scene.proxy.decide(({ method }) => {
      if (method !== 'PATCH' || isChanged) return 'pass';
      isChanged = true;
      return { waitFor: changeAsAnother(scene, { settings: { cashbackBp: 250 } }) };
    });
    await update(scene, 'Mine');
    expect(await nameOf(scene)).toBe('Mine');
    expect(scene.proxy.writes().map(({ status }) => status)).toEqual([412, 200]);
  },
);

test.each(updates)('one by %s can be undone, because what it replaces was read', async (_, update) => {
  const scene = await setScene();
  const before = await nameOf(scene);
  await update(scene, 'Mine');
  const [record] = JSON.parse((await scene.machine.run(['history', 'list', '--json'])).stdout);
  expect(await scene.machine.run(['undo', record.id])).toMatchObject({ exitCode: 0 });
  expect(await nameOf(scene)).toBe(before);
});

test('an ETag or a key of the caller is left alone: nothing is read', async () => {
  const scene = await setScene();
  const client = connect(scene);
  await client.updateStore({ name: 'One' }, { idempotencyKey: 'mine' });
  await client.updateStore({ name: 'Two' }, { ifMatch: '"another"' });
  expect(scene.proxy.requests.map(({ method, status }) => [method, status])).toEqual([
    ['PATCH', 200],
    ['PATCH', 412],
  ]);
});
