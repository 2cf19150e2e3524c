import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/library/client.ts';
import { createHistory } from '../../src/library/history.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { setScene } from '../helpers/scene.ts';

const backup = { label: 'nightly', sections: ['store'] };

async function connect() {
  const { service, proxy } = await setScene();
  const folder = temporaryFolder();
  const { storeId, apiKey } = service;
  const history = createHistory({ folder, baseUrl: proxy.origin, storeId });
  const client = createClient({ baseUrl: proxy.origin, storeId, apiKey, history });
  onTestFinished(() => client.close());
  return { proxy, folder, client };
}

test('wrong options of a call are refused before anything is recorded or sent', async () => {
  const { proxy, folder, client } = await connect();
  const wrong: [unknown, string | RegExp][] = [
    [{ signal: 1 }, 'TypeError: signal must be an AbortSignal'],
    [{ signal: new AbortController() }, 'TypeError: signal must be an AbortSignal'],
    ...[Number.NaN, '3', 0, -1, Number.POSITIVE_INFINITY, null].map(
      (timeoutMs): [unknown, string | RegExp] => [
        { timeoutMs },
        'RangeError: timeoutMs must be a positive number of milliseconds',
      ],
    ),
    [{ timeoutMS: 3 }, 'TypeError: unknown option timeoutMS (did you mean timeoutMs?)'],
    [{ zzz: 3 }, /^TypeError: unknown option zzz$/],
    [null, 'TypeError: an object with options is required: signal, timeoutMs'],
  ];
  const wrongForCall: [unknown, string | RegExp][] = [
    ...wrong,
    [{ ifMatch: 'a b' }, 'RangeError: ifMatch must be an ETag as the service sent it'],
    [{ fresh: 'no' }, 'TypeError: fresh must be true or false'],
  ];

  for (const [options, message] of wrongForCall) {
    const refused = client.createBackup(backup, options as object).catch(String);
    expect(await refused).toMatch(message);
  }
  for (const [options, message] of wrong) {
    expect(await client.resume(options as object).catch(String)).toMatch(message);
  }

  expect(readdirSync(folder)).toEqual([]);
  expect(proxy.requests).toEqual([]);
});

const place = { baseUrl: 'http://127.0.0.1:1', storeId: 's' };
const connection = { ...place, apiKey: 'k' };

test.each<[unknown, string]>([
  [undefined, 'TypeError: an object with options is required: baseUrl, storeId, apiKey'],
  [{}, 'TypeError: baseUrl must be a non-empty string'],
  [{ ...connection, baseUrl: '' }, 'TypeError: baseUrl must be a non-empty string'],
  [{ ...connection, storeId: '' }, 'TypeError: storeId must be a non-empty string'],
  [{ ...connection, apiKey: '' }, 'TypeError: apiKey must be a non-empty string'],
  // A variable of the environment that is not set.
  [{ ...connection, apiKey: process.env.STORECTL_NOT_SET }, 'TypeError: apiKey must be a non-empty string'],
  [{ ...connection, historyy: null }, 'TypeError: unknown option historyy (did you mean history?)'],
  [{ ...connection, history: { folder: 'x' } }, 'TypeError: history must come from createHistory'],
  [{ ...connection, history: null }, 'TypeError: history must come from createHistory'],
  [{ ...connection, timeoutMs: 0 }, 'RangeError: timeoutMs must be a positive number of milliseconds'],
  [{ ...connection, onRetry: 1 }, 'TypeError: onRetry must be a function'],
])('createClient(%j) is refused', (options, message) => {
  const create = createClient as (options: unknown) => unknown;
  expect(() => create(options)).toThrow(expect.toSatisfy((error) => String(error).startsWith(message)));
});

test.each<[unknown, string]>([
  [undefined, 'TypeError: an object with options is required: folder, baseUrl, storeId'],
  [{ ...place, folder: '' }, 'TypeError: folder must be a non-empty string'],
  [{ ...place, folder: 'x', storeId: '' }, 'TypeError: storeId must be a non-empty string'],
  [{ folder: 'x', storeId: 's' }, 'TypeError: baseUrl must be a non-empty string'],
  [{ ...place, foldr: 'x' }, 'TypeError: unknown option foldr (did you mean folder?)'],
])('createHistory(%j) is refused', (options, message) => {
  const create = createHistory as (options: unknown) => unknown;
  expect(() => create(options)).toThrow(expect.toSatisfy((error) => String(error) === message));
});

test('a filter of the history with a wrong name is refused, instead of listing everything', async () => {
  const history = createHistory({ ...place, folder: temporaryFolder() });

  await expect(history.list({ opne: true } as object)).rejects.toThrow('did you mean open?');
});

test('a closed client refuses calls', async () => {
  const { proxy, folder, client } = await connect();
  await client.close();

  await expect(client.createBackup(backup)).rejects.toThrow('the client is closed');
  await expect(client.resume()).rejects.toThrow('the client is closed');
  expect(readdirSync(folder)).toEqual([]);
  expect(proxy.requests).toEqual([]);
  await client.close();
});
