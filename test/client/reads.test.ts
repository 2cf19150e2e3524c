import { expect, test } from 'vitest';
import { showSettings } from '../../src/contract/operations/settings.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { clientFor } from './support.ts';

const input = { parameters: { storeId: 's' }, body: null };

test.each([
  [{}, []],
  [{ 'service-features': 'reads' }, ['reads']],
  [{ 'service-features': 'Keys , reads, later' }, ['reads', 'keys']],
] as const)('a service says what it can do: %o', async (headers, features) => {
  await using server = await startFaultServer([answer(404, {}, headers), answer(200, {}, headers)]);
  await using client = clientFor(server.url);

  expect(await client.call(showSettings, input)).toMatchObject({ kind: 'rejected', features });
  expect(await client.call(showSettings, input)).toMatchObject({ kind: 'applied', features });
});

test('a read has a query, and is sent once if it only helps', async () => {
  await using server = await startFaultServer([{ does: 'drop' }, answer(200, {})]);
  await using client = clientFor(server.url);

  const once = await client.call(showSettings, {
    ...input,
    once: true,
    query: { status: 'a b', after: '&=' },
  });

  expect(once).toMatchObject({ kind: 'unknown', attempts: 1, features: [] });
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/v1/stores/s/operations/settings?status=a+b&after=%26%3D',
  ]);
});
