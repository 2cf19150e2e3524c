import { expect, test } from 'vitest';
import { newMachine } from '../helpers/cli.ts';

const backup = ['backup', 'create'];

test('in CI, everything that is missing is named at once, the key too, by its variable', async () => {
  const { exitCode, stderr } = await newMachine({ CI: 'true' }).run(backup);

  expect(exitCode).toBe(3);
  for (const name of ['STORECTL_BASE_URL', 'STORECTL_STORE_ID', 'STORECTL_API_KEY', '--label', '--sections'])
    expect(stderr).toContain(`\n  ${name}`);
  expect(stderr).toContain('set the variables for this step, the key from a secret');
  expect(stderr).not.toContain('auth login');
});

test('a key alone that is missing in CI is named by its variable', async () => {
  const place = { STORECTL_BASE_URL: 'http://127.0.0.1:9', STORECTL_STORE_ID: 's1', CI: '1' };

  const { exitCode, stderr } = await newMachine(place).run(['settings', 'show']);

  expect(exitCode).toBe(4);
  expect(stderr).toContain('set STORECTL_API_KEY for this step, from a secret');
});

test('elsewhere the flags are named, and the login', async () => {
  const { exitCode, stderr } = await newMachine().run([...backup, '--json']);

  expect(exitCode).toBe(3);
  const { error } = JSON.parse(stderr);
  const names = error.fields.map(({ field, flag }: { field: string; flag: string | null }) => [field, flag]);
  expect(names).toEqual([
    ['baseUrl', '--base-url'],
    ['storeId', '--store'],
    ['apiKey', null],
    ['label', '--label'],
    ['sections', '--sections'],
  ]);
  expect(error.hint).toContain('storectl auth login');
});

test('a wrong value from the environment is called by its variable', async () => {
  const env = {
    STORECTL_BASE_URL: 'http://127.0.0.1:9',
    STORECTL_STORE_ID: 's1\r',
    STORECTL_API_KEY: 'a-key',
  };

  const store = await newMachine(env).run(['settings', 'show']);
  const profile = await newMachine({ STORECTL_PROFILE: 'nosuch' }).run(['settings', 'show']);

  expect(store.stderr).toContain('STORECTL_STORE_ID must not contain');
  expect(store.stderr).not.toContain('--store');
  expect(profile.stderr).toContain('profile "nosuch" not found (from STORECTL_PROFILE)');
});
