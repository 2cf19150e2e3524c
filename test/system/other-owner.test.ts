import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { newProgramMachine, type ProgramMachine, testNode } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';

// Root may read and change everything, so these commands run as another user.
describe('settings of another owner', () => {
  const user = 12_345;
  const asUser = (machine: ProgramMachine, env: Readonly<Record<string, string>>, args: string) => {
    const given = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
    const words = [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      'env',
      '-i',
      'PATH="$PATH"',
    ];
    return machine.shell([...words, ...given, testNode, 'program/bin/storectl.js', args].join(' '));
  };

  async function setSettings(mode: number) {
    const { origin, storeId, apiKey } = await startService();
    const place = { STORECTL_BASE_URL: origin, STORECTL_STORE_ID: storeId };
    const machine = newProgramMachine(place);
    // A clone may be its owner's alone.
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(part, path.join(machine.folder, 'program', part), { recursive: true });
    execFileSync('chmod', ['-R', 'go+rX', path.join(machine.folder, 'program')]);
    const file = path.join(machine.configDirectory, 'settings.json');
    const profile = { baseUrl: origin, storeId, apiKey, keyBaseUrl: origin };
    mkdirSync(machine.configDirectory, { recursive: true });
    writeFileSync(file, JSON.stringify({ profiles: { main: profile } }));
    chmodSync(file, mode);
    for (const folder of [machine.folder, machine.configDirectory]) chmodSync(folder, 0o755);
    mkdirSync(machine.stateDirectory, { recursive: true });
    chownSync(machine.stateDirectory, user, user);
    const folders = {
      STORECTL_CONFIG_DIR: machine.configDirectory,
      STORECTL_STATE_DIR: machine.stateDirectory,
    };
    return { machine, place, apiKey, file, folders };
  }

  test('are read, with one warning about their mode, which stays', async () => {
    const { machine, file, folders } = await setSettings(0o644);

    const { exitCode, stderr } = await asUser(machine, folders, 'settings show');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `${file} is readable by others (mode 644), and cannot be changed\n`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test('that cannot be read stop nothing that has all it needs in the environment', async () => {
    const { machine, folders, place, apiKey } = await setSettings(0o600);
    const env = { ...folders, ...place, STORECTL_API_KEY: apiKey };

    const all = await asUser(machine, env, 'settings show');
    const some = await asUser(machine, { ...folders, ...place }, 'settings show');

    expect(all.exitCode).toBe(0);
    expect(all.stderr).toMatch(/^the settings are not used: cannot read settings from .*\n$/);
    expect(some).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('cannot read settings') });
  });

  test('without a home directory, a read works, and a change names what to set', async () => {
    const { machine, place, apiKey } = await setSettings(0o600);
    const env = { ...place, STORECTL_API_KEY: apiKey };

    const read = await asUser(machine, env, 'settings show');
    const change = await asUser(machine, env, 'backup create --label a --sections store');

    expect(read).toMatchObject({ exitCode: 0, stderr: '' });
    expect(change.exitCode).toBe(11);
    expect(change.stderr).toContain('set HOME, or set STORECTL_CONFIG_DIR and STORECTL_STATE_DIR');
  });
});

test('a database that root restores belongs to the user of the service, as the one before it did', async () => {
  const user = 12_345;
  const machine = newProgramMachine();
  const data = path.join(machine.folder, 'data');
  mkdirSync(data);
  chownSync(data, user, user);
  const place = path.join(data, 'service.db');
  const run = async (...args: string[]) => {
    expect(await machine.run(['service', ...args])).toMatchObject({ exitCode: 0 });
  };
  await run('stores', 'create', '--name', 'A', '--database', 'service.db');
  await run('backup', 'copy.db', '--database', 'service.db');

  await run('restore', 'copy.db', '--database', place);
  expect(statSync(place)).toMatchObject({ uid: user, gid: user });
  chownSync(place, user + 1, user);
  await run('restore', 'copy.db', '--database', place);
  expect(statSync(place)).toMatchObject({ uid: user + 1, gid: user });
  expect(statSync(place).mode & 0o777).toBe(0o600);
});
