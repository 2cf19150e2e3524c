import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Machine, newMachine } from '../../helpers/cli.ts';
import { answer, type Behaviour, startFaultServer } from '../../helpers/fault-server.ts';
import { newProgramMachine } from '../../helpers/program.ts';
import { startService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';
const apiKey = 'a-key-that-nobody-may-see';

const settingsFile = ({ configDirectory }: Machine) => path.join(configDirectory, 'settings.json');
const stored = (machine: Machine) => JSON.parse(readFileSync(settingsFile(machine), 'utf8'));
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

function login(machine: Machine, origin: string, more: readonly string[] = [], key = apiKey) {
  const args = ['auth', 'login', '--base-url', origin, '--store', storeId, '--with-key', ...more];
  return machine.run(args, { stdin: `${key}\n` });
}

/** A machine that has logged in to a service, which answers everything so unless there is a script. */
async function loggedIn(...script: readonly Behaviour[]) {
  const server = await startFaultServer(script.length > 0 ? script : [answer(200, {})]);
  onTestFinished(server.close);
  const machine = newMachine();
  await login(machine, server.url);
  return { server, machine };
}

describe('auth login', () => {
  test('checks the key with one read, and stores it for its owner alone', async () => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine();

    const result = await login(machine, server.url);

    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(server.requests).toMatchObject([
      { method: 'GET', path: `/v1/stores/${storeId}/operations/settings`, body: '' },
    ]);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(stored(machine)).toEqual({
      current: 'main',
      profiles: { main: { baseUrl: server.url, storeId, apiKey, keyBaseUrl: server.url } },
    });
    expect(modeOf(settingsFile(machine))).toBe('600');
    expect(modeOf(machine.configDirectory)).toBe('700');
    expect(result.stderr).not.toContain(apiKey);
  });

  test('a key that may not read settings is still a valid key', async () => {
    await using server = await startFaultServer([answer(403, {})]);
    const machine = newMachine();

    const result = await login(machine, server.url);

    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('The key is valid') });
    expect(stored(machine).profiles.main.apiKey).toBe(apiKey);
  });

  test.each([
    [401, 4],
    [404, 5],
    [500, 9],
  ])('after %d nothing is stored, exit %d', async (status, exitCode) => {
    await using server = await startFaultServer([answer(status, {})]);
    const machine = newMachine();

    const result = await login(machine, server.url, ['--timeout', '10']);

    expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining('the key was not stored') });
    expect(existsSync(settingsFile(machine))).toBe(false);
  });

  test('where the service is not there, nothing is stored, and the former key stays', async () => {
    const { server, machine } = await loggedIn();
    const before = readFileSync(settingsFile(machine), 'utf8');
    await server.close();

    const result = await login(machine, server.url, ['--timeout', '0.3'], 'another-key-for-the-store');

    expect(result.exitCode).toBe(9);
    expect(readFileSync(settingsFile(machine), 'utf8')).toBe(before);
  });

  test.each(['', 'two words', 'line\nbreak', 'schlüssel'])('%j is no key: nothing is sent', async (key) => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine();

    const result = await login(machine, server.url, [], key);

    expect(result.exitCode).toBe(2);
    if (key !== '') expect(result.stderr).not.toContain(key);
    expect(server.connections).toBe(0);
  });

  test('says which store the profile was for before, whose key is gone', async () => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine();
    const other = '7d3e0f6b-6a30-4c55-9a2c-4be5c0aa7a10';

    const first = await login(machine, server.url);
    const same = await login(machine, server.url);
    const second = await login(machine, server.url, ['--store', other]);

    for (const { stderr } of [first, same]) expect(stderr).not.toContain('This profile was for');
    expect(second).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`This profile was for store ${storeId} @ `),
    });
  });

  test('fills a profile that is named, and takes the rest from the environment', async () => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine();

    const byFlag = await machine.run(['auth', 'login', '--profile', 'outlet', '--with-key'], {
      stdin: apiKey,
      env: { STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: storeId },
    });
    const byEnvironment = await machine.run(['auth', 'login', '--with-key'], {
      stdin: apiKey,
      env: { STORECTL_PROFILE: 'shop', STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: storeId },
    });

    expect([byFlag.exitCode, byEnvironment.exitCode]).toEqual([0, 0]);
    expect(Object.keys(stored(machine).profiles)).toEqual(['outlet', 'shop']);
  });

  test('the stored key works against the real service', async () => {
    const service = await startService();
    const machine = newMachine();
    await machine.run(
      ['auth', 'login', '--base-url', service.origin, '--store', service.storeId, '--with-key'],
      {
        stdin: service.apiKey,
      },
    );

    const show = await machine.run(['settings', 'show', '--json']);
    const status = await machine.run(['auth', 'status', '--json']);

    expect(show.exitCode).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      profile: 'main',
      storeId: service.storeId,
      key: 'set',
      keySource: 'profile',
      access: 'works',
    });
  });

  test.each([
    [404, 5, 'check the store id and the base URL'],
    [302, 7, 'check the base URL\n'],
    [429, 8, 'run the command again after '],
  ])('auth status ends as any read does after %d: exit %d, %s', async (status, exitCode, advice) => {
    const { machine } = await loggedIn(answer(200, {}), answer(status, {}, { 'retry-after': '900' }));

    expect(await machine.run(['auth', 'status'])).toMatchObject({
      exitCode,
      stdout: expect.stringContaining(`failed`),
      stderr: expect.stringContaining(advice),
    });
  });

  test('auth status on a new machine says how to log in: exit 3', async () => {
    const machine = newMachine();

    const { exitCode, stdout, stderr } = await machine.run(['auth', 'status']);

    expect({ exitCode, stdout }).toEqual({
      exitCode: 3,
      stdout: expect.stringMatching(/Access +not checked/),
    });
    expect(stderr).toMatch(/^error: not logged in\n {2}run `storectl auth login` to store /);
  });

  test('auth status, cancelled: exit 130', async () => {
    const { machine } = await loggedIn();

    const result = await machine.run(['auth', 'status'], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exitCode: 130, stdout: expect.stringContaining('failed') });
  });

  test.each([['STORECTL_API_KEY'], ['STORECTL_API_KEY_FILE']])(
    'a refused key from %s: the advice names the variable, since a login would not help',
    async (variable) => {
      await using server = await startFaultServer([answer(401, {}), answer(401, {}), answer(401, {})]);
      const machine = newMachine({ STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: storeId });
      const file = path.join(machine.folder, 'key');
      writeFileSync(file, apiKey);
      const env = { [variable]: variable.endsWith('FILE') ? file : apiKey };

      for (const args of [['settings', 'show'], ['auth', 'status'], ['doctor']]) {
        const { stdout, stderr } = await machine.run(args, { env });
        const advice = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('unset'));
        expect({ args, advice }).toEqual({ args, advice: [expect.stringContaining(variable)] });
        expect(`${stdout}${stderr}`).not.toContain('auth login');
      }
    },
  );

  test('auth status says that a key is refused, without showing it: exit 4', async () => {
    const { machine } = await loggedIn(answer(200, {}), answer(401, {}));

    const status = await machine.run(['auth', 'status']);

    expect(status).toMatchObject({ exitCode: 4, stdout: expect.stringMatching(/^Access +failed$/m) });
    expect(status.stdout + status.stderr).not.toContain(apiKey);
  });

  test('the hints after a refused key name the profile', async () => {
    await using server = await startFaultServer([answer(200, {}), ...Array(4).fill(answer(401, {}))]);
    const machine = newMachine();
    await login(machine, server.url, ['--profile', 'outlet']);

    for (const args of [['auth', 'status'], ['settings', 'show'], ['doctor'], ['api', 'GET', '/v1/x']]) {
      const { stdout, stderr } = await machine.run([...args, '--profile', 'outlet']);
      expect(stdout + stderr).toContain('un `storectl auth login --profile outlet` with a new');
    }
  });

  test('auth logout removes the key and keeps the rest', async () => {
    const { server, machine } = await loggedIn();

    const result = await machine.run(['auth', 'logout']);
    const show = await machine.run(['settings', 'show']);
    const status = await machine.run(['auth', 'status']);

    expect(status).toMatchObject({
      exitCode: 4,
      stdout: expect.stringMatching(/^Access +failed$/m),
      stderr: expect.stringMatching(/^error: no key for .*\n {2}run `storectl auth login/),
    });
    expect(result.exitCode).toBe(0);
    expect(stored(machine).profiles.main).toEqual({ baseUrl: server.url, storeId });
    expect(readFileSync(settingsFile(machine), 'utf8')).not.toContain(apiKey);
    expect(show.exitCode).toBe(4);
  });
});

describe('a stored key', () => {
  test('is sent to no other path, and to no other origin', async () => {
    await using gateway = await startFaultServer([answer(200, {})]);
    await using elsewhere = await startFaultServer([answer(200, {})]);
    const machine = newMachine();
    await login(machine, `${gateway.url}/staging/`);
    const others = ['/production', '/Staging', '/staging/v2', ''].map((path) => gateway.url + path);
    for (const url of [...others, elsewhere.url]) {
      const byFlag = await machine.run(['settings', 'show', '--base-url', url]);
      const byEnvironment = await machine.run(['settings', 'show'], { env: { STORECTL_BASE_URL: url } });
      expect([byFlag.exitCode, byEnvironment.exitCode]).toEqual([4, 4]);
      expect(byFlag.stderr).toContain(
        `no key for ${url} (profile main, whose key is for ${gateway.url}/staging)`,
      );
    }
    expect(gateway.requests).toHaveLength(1);
    const same = await machine.run(['settings', 'show', '--base-url', `${gateway.url}/staging`]);
    expect(same.exitCode).toBe(0);

    const { stderr } = await machine.run(typed`profile set main --base-url ${elsewhere.url}`);
    expect(stderr).toContain(`will not be sent to ${elsewhere.url}`);
    expect((await machine.run(['settings', 'show'])).exitCode).toBe(4);
    expect(elsewhere.connections).toBe(0);
  });
});

describe('the settings file', () => {
  test('in looser modes is repaired, with a notice', async () => {
    const { machine } = await loggedIn();
    chmodSync(settingsFile(machine), 0o644);

    const repaired = await machine.run(['settings', 'show']);
    const after = await machine.run(['settings', 'show']);

    expect(repaired.exitCode).toBe(0);
    expect(repaired.stderr).toContain(
      `${settingsFile(machine)} was readable by others (mode 644): changed to 600`,
    );
    expect([modeOf(settingsFile(machine)), modeOf(machine.configDirectory)]).toEqual(['600', '700']);
    expect(after.stderr).toBe('');
  });

  test.each(['{"profiles": {', '[]', '"text"', '{"profiles": {"main": 1}}', '{"current": 7}', ''])(
    'broken as %j is exit 11, and stays as it is',
    async (text) => {
      const machine = newMachine();
      mkdirSync(machine.configDirectory, { mode: 0o700 });
      writeFileSync(settingsFile(machine), text, { mode: 0o600 });

      for (const args of [
        ['settings', 'show'],
        ['profile', 'list'],
        ['profile', 'set', 'x', '--store', 's'],
        ['auth', 'logout'],
      ]) {
        const result = await machine.run(args);
        expect(result).toMatchObject({ exitCode: 11, stdout: '' });
        expect(result.stderr).toContain(settingsFile(machine));
      }
      expect(readFileSync(settingsFile(machine), 'utf8')).toBe(text);
    },
  );

  test('loses no profile when ten processes write at the same time', async () => {
    const machine = newProgramMachine();
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`);

    const results = await Promise.all(
      names.map((name) => machine.run(['profile', 'set', name, '--store', `store-${name}`])),
    );

    expect(results.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    const file = path.join(machine.configDirectory, 'settings.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles).toEqual(
      Object.fromEntries(names.map((name) => [name, { storeId: `store-${name}` }])),
    );
  });
});

describe('profile', () => {
  test('set, use, list, show and remove', async () => {
    const machine = newMachine();
    await machine.run(['profile', 'set', 'b.c', '--base-url', 'https://b.example/api/', '--store', 's2']);
    await machine.run(['profile', 'set', 'a', '--base-url', 'https://a.example', '--store', 's1']);

    await machine.run(['profile', 'use', 'a']);
    const list = await machine.run(['profile', 'list', '--json']);
    const show = await machine.run(['profile', 'show', 'b.c', '--json']);
    const used = await machine.run(['profile', 'show', '--json']);
    const removed = await machine.run(['profile', 'remove', 'a', '--confirm', 'a']);
    const rest = await machine.run(['profile', 'list', '-q']);

    expect(JSON.parse(list.stdout)).toEqual([
      { name: 'a', used: true, baseUrl: 'https://a.example', storeId: 's1', key: false },
      { name: 'b.c', used: false, baseUrl: 'https://b.example/api', storeId: 's2', key: false },
    ]);
    expect(JSON.parse(show.stdout)).toMatchObject({ name: 'b.c', storeId: 's2', key: false });
    expect(JSON.parse(used.stdout)).toMatchObject({ name: 'a' });
    expect(removed.exitCode).toBe(0);
    expect(rest.stdout).toBe('b.c\n');
    expect(stored(machine)).not.toHaveProperty('current');
  });

  test('an unknown one is refused, and the error says how to see the others', async () => {
    const machine = newMachine();
    await machine.run(['profile', 'set', 'outlet', '--store', 's']);

    for (const verb of ['use', 'show', 'remove']) {
      const { exitCode, stderr } = await machine.run(['profile', verb, 'outlte']);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr:
          'error: profile "outlte" not found\n  run `storectl profile list` to see all profiles, or `storectl auth login --profile outlte` to create this one\n',
      });
    }
  });

  test('one that is named and not there does not hide the others', async () => {
    const machine = newMachine({ STORECTL_PROFILE: 'outlte' });
    await machine.run(['profile', 'set', 'outlet', '--store', 's']);

    const show = await machine.run(['settings', 'show']);
    const list = await machine.run(['profile', 'list', '-q']);

    expect(show).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('`storectl profile list`') });
    expect(list).toMatchObject({ exitCode: 0, stdout: 'outlet\n' });
  });

  test.each(['../up', 'a/b', '', '.hidden', 'demo'])('cannot be called %j', async (name) => {
    const machine = newMachine();

    const result = await machine.run(['profile', 'set', name, '--store', 's']);

    expect(result.exitCode).toBe(2);
    expect(existsSync(settingsFile(machine))).toBe(false);
  });
});

describe('where a setting comes from', () => {
  const flag = ['--store', 'from-flag', '--base-url', 'https://flag.example'];
  const env = {
    STORECTL_STORE_ID: 'from-env',
    STORECTL_BASE_URL: 'https://env.example',
    STORECTL_API_KEY: 'key-of-env',
  };

  async function machineWithEverything(folder: object | null): Promise<Machine> {
    const machine = newMachine();
    await machine.run(typed`profile set main --store from-profile --base-url https://profile.example`);
    await machine.run(typed`profile set other --store from-other --base-url https://other.example`);
    if (folder !== null) writeFileSync(path.join(machine.folder, '.storectl.json'), JSON.stringify(folder));
    return machine;
  }

  async function statusOf(
    machine: Machine,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ) {
    // Cancelled before the key is sent.
    const { stdout } = await machine.run(['auth', 'status', '--json', ...args], {
      env: environment,
      signal: AbortSignal.abort(),
    });
    const { profile, baseUrl, storeId: id, storeIdSource, keySource } = JSON.parse(stdout);
    return { profile, baseUrl, storeId: id, storeIdSource, keySource };
  }

  test.each([
    ['flag', flag, env, 'environment'],
    ['environment', [], env, 'environment'],
    ['folder', [], {}, null],
  ])('flag, environment, folder, profile: here the %s', async (source, args, environment, keySource) => {
    const machine = await machineWithEverything({ storeId: 'from-folder' });
    const host = { flag: 'flag', environment: 'env', folder: 'profile' }[source];

    expect(await statusOf(machine, args, environment)).toEqual({
      profile: 'main',
      baseUrl: `https://${host}.example`,
      storeId: source === 'environment' ? 'from-env' : `from-${source}`,
      storeIdSource: source,
      keySource,
    });
  });

  test('the profile: flag, environment, folder, stored choice, main', async () => {
    const machine = await machineWithEverything({ profile: 'other' });
    const byEnvironment = { STORECTL_PROFILE: 'main' };

    expect((await statusOf(machine, ['--profile', 'other'], byEnvironment)).profile).toBe('other');
    expect((await statusOf(machine, [], byEnvironment)).profile).toBe('main');
    expect((await statusOf(machine, [], {})).profile).toBe('other');
    const elsewhere = await machineWithEverything(null);
    expect((await statusOf(elsewhere, [], {})).profile).toBe('main');
    await elsewhere.run(['profile', 'use', 'other']);
    expect((await statusOf(elsewhere, [], {})).profile).toBe('other');
  });

  test("the folder's store belongs to the folder's profile", async () => {
    const machine = await machineWithEverything({ profile: 'main', storeId: 'from-folder' });

    expect((await statusOf(machine, [], {})).storeId).toBe('from-folder');
    expect((await statusOf(machine, ['--profile', 'other'], {})).storeId).toBe('from-other');
  });

  test.each([
    { apiKey: 'k' },
    { baseUrl: 'https://evil.example' },
    { storeId: 7 },
    { profile: null },
    { store: 'misspelt' },
    [],
  ])('.storectl.json with %j is refused: exit 11', async (folder) => {
    const machine = await machineWithEverything(folder);

    const result = await machine.run(['settings', 'show', '--json']);

    expect(result).toMatchObject({ exitCode: 11, stdout: '' });
    expect(JSON.parse(result.stderr).error).toMatchObject({
      code: 'folder_settings_unreadable',
      outcome: 'not_sent',
    });
  });

  test('STORECTL_API_KEY_FILE names a file with the key', async () => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine({ STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: storeId });
    const file = path.join(machine.folder, 'key.txt');
    writeFileSync(file, `${apiKey}\n`);

    const result = await machine.run(['settings', 'show'], { env: { STORECTL_API_KEY_FILE: file } });
    const both = await machine.run(['settings', 'show'], {
      env: { STORECTL_API_KEY_FILE: file, STORECTL_API_KEY: 'key-of-env' },
    });
    const missing = await machine.run(['settings', 'show'], {
      env: { STORECTL_API_KEY_FILE: `${file}.none` },
    });

    expect([result.exitCode, both.exitCode, missing.exitCode]).toEqual([0, 0, 4]);
    expect(missing.stderr).toContain(
      `cannot read the key from ${file}.none (STORECTL_API_KEY_FILE): no such file or directory`,
    );
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${apiKey}`,
      'Bearer key-of-env',
    ]);
  });
});

test('settings that cannot be written: the error names the variable of the settings directory', async () => {
  const machine = newMachine();
  mkdirSync(machine.configDirectory, { recursive: true });
  writeFileSync(path.join(machine.configDirectory, 'locks'), '');

  const result = await machine.run(['profile', 'use', 'demo']);

  expect(result).toMatchObject({ exitCode: 11, stdout: '' });
  expect(result.stderr).toMatch(
    /^error: cannot write settings to .*settings\.json: \S+locks is not a directory$/m,
  );
  expect(result.stderr).toContain('STORECTL_CONFIG_DIR');
});

test('a folder of settings that others share keeps its mode', async () => {
  const machine = newMachine();
  mkdirSync(machine.configDirectory);
  chmodSync(machine.configDirectory, 0o755);

  await machine.run(['profile', 'set', 'main', '--store', 's']);

  expect((statSync(machine.configDirectory).mode & 0o777).toString(8)).toBe('755');
  expect((statSync(path.join(machine.configDirectory, 'settings.json')).mode & 0o777).toString(8)).toBe(
    '600',
  );
});
