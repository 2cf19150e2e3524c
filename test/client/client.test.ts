import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createBackup } from '../../src/contract/operations/backups.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';

test('sends exactly the operation and reads the answer', async () => {
  await using server = await startFaultServer([
    { does: 'drop' },
    { does: 'reset' },
    answer(503),
    answer(201, { id: 'x' }, { 'X-Request-Id': 'r1', ETag: '"e"' }),
  ]);
  const client = createClient({
    baseUrl: `${server.url}/api/`,
    apiKey: 'sk_test_0123456789',
    userAgent: 'storectl/1',
    env: {},
    random: () => 0,
  });
  const outcome = await client.call(createBackup, {
    parameters: { storeId: 's 1'.replace(' ', '+') },
    body: '{"a": 1}',
  });
  await client.close();
  expect(outcome).toMatchObject({ kind: 'applied', attempts: 4, requestId: 'r1', etag: '"e"' });
  expect(server.requests.map((request) => request.body)).toEqual(['{"a": 1}', '', '{"a": 1}', '{"a": 1}']);
});
