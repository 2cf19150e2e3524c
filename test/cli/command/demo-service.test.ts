import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startDemo } from '../../../src/cli/command/demo-service.ts';
import { filesBelow, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { typed } from '../../helpers/typed.ts';

const marker = 'demo: example data on this machine, not a real store\n';

function jsonOf({ exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string }) {
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout);
}

describe('--demo', () => {
  test('needs nothing, marks its output on stderr, and has what it takes to try every operation', async () => {
    const machine = newMachine();

    const info = await machine.run(['--demo', 'demo', 'info', '--json']);
    const forPeople = await machine.run(['--profile', 'demo', 'demo', 'info']);

    const example = jsonOf(info);
    expect(info.stderr).toBe(marker);
    expect(forPeople.stderr).toContain(marker);
    expect(example.disputes.map(({ status }: { status: string }) => status).sort()).toEqual(['open', 'won']);
    for (const name of ['reclaims', 'notifications', 'posts', 'endpoints']) {
      expect(example[name].length).toBeGreaterThan(0);
    }
    for (const { id } of [...example.disputes, ...example.reclaims, ...example.notifications]) {
      expect(forPeople.stdout).toContain(id);
    }
    expect(existsSync(machine.configDirectory)).toBe(false);
  });

  test('two commands at the same time both work, also as the very first ones', async () => {
    const machine = newMachine();
    const create = (label: string) =>
      machine.run(['--demo', 'backup', 'create', '--label', label, '--sections', 'store', '-q']);

    const results = await Promise.all([create('a'), create('b')]);
    const info = jsonOf(await machine.run(['--demo', 'demo', 'info', '--json']));

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(2);
    expect(info.backups.map(({ label }: { label: string }) => label).sort()).toEqual(['a', 'b']);
  });

  test('a database that another process locks for long is no reason to reset it', async () => {
    const machine = newMachine();
    expect((await machine.run(['--demo', 'demo', 'info', '--json'])).exitCode).toBe(0);
    const other = new Database(path.join(machine.stateDirectory, 'demo', 'store.db'));
    onTestFinished(() => void other.close());
    other.exec('begin immediate');

    const error = await startDemo(path.join(machine.stateDirectory, 'demo'), 100).catch((thrown) => thrown);
    expect(error).toMatchObject({
      failure: {
        exitCode: 11,
        what: expect.stringContaining('the database is locked by another process'),
        next: [{ say: 'wait until the other process is done, then try again' }],
      },
    });
  });

  test('a change that was applied is called so, also where the demo store cannot be closed in order', async () => {
    const machine = newMachine();
    jsonOf(await machine.run(['--demo', 'demo', 'info', '--json']));
    const other = new Database(path.join(machine.stateDirectory, 'demo', 'store.db'));
    onTestFinished(() => void other.close());

    // Its key cannot be revoked any more.
    const onOutput = (text: string) => {
      if (text.includes('Updated store')) other.exec('drop table api_keys');
    };
    const updated = await machine.run(['--demo', 'store', 'update', '--name', 'Applied'], { onOutput });

    expect(updated.stderr).not.toContain('bug');
    expect(updated).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Updated store "Applied"'),
    });
    expect(other.prepare("select name from sqlite_master where name = 'api_keys'").all()).toEqual([]);
  });

  test('has nothing to do with real stores: not their address, their store, their key, or their history', async () => {
    await using server = await startFaultServer([answer(200, { id: 'x' })]);
    const machine = newMachine({
      STORECTL_BASE_URL: server.url,
      STORECTL_STORE_ID: 'real-store',
      STORECTL_API_KEY: 'real-key-of-a-store',
    });
    writeFileSync(path.join(machine.folder, '.storectl.json'), '{"storeId":"of-the-folder"}');

    const update = await machine.run(['--demo', 'store', 'update', '--name', 'x', '--debug']);
    const demoHistory = jsonOf(await machine.run(['--demo', 'history', 'list', '--json']));
    const realHistory = jsonOf(await machine.run(['history', 'list', '--json']));
    await machine.run(['store', 'update', '--name', 'y']);
    const demoAfter = jsonOf(await machine.run(['--demo', 'history', 'list', '--json']));

    expect(update.exitCode).toBe(0);
    for (const word of ['real-store', 'of-the-folder', 'real-key', server.url]) {
      expect(update.stdout + update.stderr).not.toContain(word);
    }
    expect(demoHistory).toMatchObject([{ operation: 'store.update', baseUrl: 'demo' }]);
    expect(realHistory).toEqual([]);
    expect(demoAfter).toEqual(demoHistory);
    expect(server.requests.map(({ body }) => body)).toEqual(['{"name":"y"}']);
  });

  test('an unusable address of a real store is not in its way', async () => {
    const machine = newMachine({ STORECTL_BASE_URL: 'ftp://nowhere', STORECTL_API_KEY: 'not a key' });

    expect((await machine.run(['--demo', 'settings', 'show'])).exitCode).toBe(0);
  });

  test('works as the chosen profile, too', async () => {
    const machine = newMachine();
    await machine.run(['profile', 'use', 'demo']);

    const byChoice = await machine.run(['settings', 'show', '--fields', 'quietHours.start']);
    const byEnvironment = await newMachine({ STORECTL_PROFILE: 'demo' }).run(['settings', 'show']);

    expect(byChoice).toEqual({ exitCode: 0, stdout: '{"quietHours":{"start":"22:00"}}\n', stderr: marker });
    expect(byEnvironment).toMatchObject({ exitCode: 0, stderr: marker });
    expect((await machine.run(['profile', 'list'])).stderr).toBe(
      'No profiles yet. Run `storectl auth login` to create one.\nThe demo store is in use.\n',
    );
  });

  test('its key is in no file, and the files are for their owner alone', async () => {
    const machine = newMachine();

    const { stderr, stdout } = await machine.run(
      typed`--demo backup create --label l --sections store --debug`,
    );

    expect(stdout + stderr).not.toMatch(/sk_demo_\w{12}_\w{40}/);
    const files = filesBelow(machine.stateDirectory);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(readFileSync(file, 'latin1')).not.toMatch(/sk_(demo|live)_\w{12}_\w{40}/);
      if (process.platform !== 'win32') expect((statSync(file).mode & 0o077).toString(8)).toBe('0');
    }
  });

  test('a folder that cannot be written is named with the reason', async () => {
    const machine = newMachine();
    const file = path.join(machine.folder, 'file');
    writeFileSync(file, '');
    const env = { STORECTL_STATE_DIR: path.join(file, 'state') };

    const { exitCode, stderr } = await machine.run(['--demo', 'settings', 'show'], { env });

    expect(exitCode).toBe(11);
    expect(stderr).toContain(`cannot use the demo store in ${file}/state/demo: not a directory`);
    expect(stderr).toContain('set STORECTL_STATE_DIR to a writable directory');
  });

  test('demo reset starts over, and leaves the history of other profiles', async () => {
    await using server = await startFaultServer([answer(200, { id: 'x' })]);
    const machine = newMachine({
      STORECTL_STORE_ID: 's',
      STORECTL_API_KEY: 'some-long-key',
      STORECTL_BASE_URL: server.url,
    });
    await machine.run(['store', 'update', '--name', 'real']);
    await machine.run(['--demo', 'backup', 'create', '--label', 'l', '--sections', 'store']);

    expect((await machine.run(['demo', 'reset', '--confirm', 'demo'])).exitCode).toBe(0);
    expect(jsonOf(await machine.run(['--demo', 'demo', 'info', '--json'])).backups).toEqual([]);
    expect(jsonOf(await machine.run(['--demo', 'history', 'list', '--json']))).toEqual([]);
    expect(jsonOf(await machine.run(['history', 'list', '--json']))).toHaveLength(1);
  });

  test('another store of the demo service is not found, and nothing of it is said', async () => {
    const { exitCode, stderr } = await newMachine().run(typed`--demo --store another settings show --json`);

    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '').error).toMatchObject({
      code: 'not_found',
      status: 404,
    });
  });
});

test('a damaged demo store is exit 11, and reset repairs it', async () => {
  const machine = newMachine();
  mkdirSync(path.join(machine.stateDirectory, 'demo'), { recursive: true });
  writeFileSync(path.join(machine.stateDirectory, 'demo', 'store.db'), 'no database at all'.repeat(100));

  const broken = await machine.run(['--demo', 'demo', 'info']);
  await machine.run(['demo', 'reset', '--confirm', 'demo']);

  expect(broken).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('storectl demo reset') });
  expect((await machine.run(['--demo', 'demo', 'info', '--json'])).exitCode).toBe(0);
});
