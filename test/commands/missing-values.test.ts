import { describe, expect, test } from 'vitest';
import { newMachine } from '../helpers/cli.ts';
import { setScene } from '../helpers/scene.ts';

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

describe('the hint to be prompted says what keeps storectl from asking', () => {
  test.each([
    ['in a pipe', [], {}, undefined, 'run the command in a terminal to be prompted'],
    ['input from a pipe', [], {}, 200, 'run the command without redirecting its input to be prompted'],
    [
      '--no-input',
      ['--no-input'],
      {},
      undefined,
      'run the command in a terminal and without --no-input to be',
    ],
    [
      'a variable',
      [],
      { STORECTL_NO_INPUT: '1' },
      200,
      'run the command without redirecting its input and without STORECTL_NO_INPUT to be prompted',
    ],
  ])('%s', async (_, flags, env, columns, hint) => {
    const { machine } = await setScene({ answers: [], env });
    const create = ['backup', 'create', '--label', 'x', ...flags];
    const { stderr } = await machine.run(create, columns === undefined ? {} : { columns });
    expect(stderr).toContain(`pass --sections A,B, or ${hint}`);
  });

  test('a CI job is not told of terminals', async () => {
    const { machine } = await setScene({ answers: [], env: { CI: '1' } });
    expect((await machine.run(['backup', 'create', '--label', 'x'])).stderr).toContain(
      '\n  pass --sections A,B\n',
    );
  });
});

test('auth login is for a terminal: its hint begins with that, and in CI it names the variables', async () => {
  const login = await newMachine().run(['auth', 'login']);
  const inCi = await newMachine({ CI: '1' }).run(['auth', 'login']);

  expect(login.stderr).toContain(
    '\n  run the command in a terminal to be prompted, or add them to the command\n',
  );
  expect(inCi.stderr).toContain('\n  set the variables for this step, the key from a secret\n');
  expect(inCi.stderr).not.toContain('--with-key');
});

test('profile commands take the profile that a global flag names: --demo offers no other', async () => {
  const machine = newMachine();
  await machine.run(['profile', 'set', 'main', '--store', 's1', '--base-url', 'https://api.example.com']);

  const demo = await machine.run(['--demo', 'profile', 'remove']);
  expect(demo).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('`storectl demo reset`') });
  expect(await machine.run(['--demo', 'profile', 'set'])).toMatchObject({ exitCode: 2 });
  const named = await machine.run(['--profile', 'main', 'profile', 'remove', '--confirm', 'main']);
  expect(named).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Removed profile main') });
});
