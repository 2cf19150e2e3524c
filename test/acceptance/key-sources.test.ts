import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { namedPipeLine } from '../helpers/named-pipe.ts';
import { newProgramMachine, type ProgramMachine, programLine } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';

/** A machine that knows where the store is, and the key, which it does not know. */
/** A machine that knows a service and a store, and has a key to it in a file alone. */
async function addKeyFile(env: Readonly<Record<string, string>> = {}) {
  const { origin, storeId, apiKey } = await startService();
  const place = { STORECTL_BASE_URL: origin, STORECTL_STORE_ID: storeId };
  const machine = newProgramMachine({ ...place, ...env });
  const keyFile = path.join(machine.folder, 'key');
  mkdirSync(machine.folder, { recursive: true });
  writeFileSync(keyFile, `${apiKey}\n`);
  return { origin, storeId, apiKey, place, machine, keyFile };
}

const bash = (machine: ProgramMachine, line: string) =>
  machine.shell(`bash -c '${`storectl() { ${programLine} "$@"; }; ${line}`.replaceAll("'", "'\\''")}'`);

describe('the key comes from', () => {
  test.each([
    [
      'a process substitution',
      'STORECTL_API_KEY_FILE=<(sleep 0.2; cat key) storectl auth status',
      'in /dev/fd/',
    ],
    ['standard input', 'STORECTL_API_KEY_FILE=/dev/stdin storectl auth status < key', 'in /dev/stdin'],
    [
      'a pipe on standard input',
      'cat key | STORECTL_API_KEY_FILE=/dev/stdin storectl auth status',
      'in /dev/stdin',
    ],
    [
      'a named pipe that is written later',
      `${namedPipeLine('pipe')}; (sleep 0.5; cat key > pipe) & STORECTL_API_KEY_FILE=pipe storectl auth status`,
      'in pipe',
    ],
    [
      'a command',
      "STORECTL_API_KEY_COMMAND='cat key; echo more' storectl auth status",
      'from the command "cat key',
    ],
  ])('%s', async (_, line, from) => {
    const { machine, apiKey } = await addKeyFile();

    const { exitCode, stdout, stderr } = await bash(machine, line);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(from);
    expect(stdout).toMatch(/Scopes +.*settings:read.*\(preset owner\)/);
    expect(stdout).not.toContain(apiKey);
  });
});

test.each([
  ['fails', 'echo "the vault is locked" >&2; exit 3', 4, /exit status 3 \(the vault is locked\)/],
  ['prints nothing', 'true', 2, /the key that the command prints is empty/],
  [
    'wants a terminal',
    'echo asked > /dev/tty',
    4,
    /the command for the key \(STORECTL_API_KEY_COMMAND\) failed/,
  ],
])('a command that %s ends with a message that says so', async (_, command, exitCode, message) => {
  const { machine } = await addKeyFile({ STORECTL_API_KEY_COMMAND: command });

  const result = await machine.run(['settings', 'show']);

  expect(result.exitCode).toBe(exitCode);
  expect(result.stderr).toMatch(message);
});

test('a key command is stored in place of the key, for its base URL only', async () => {
  const { machine, keyFile, apiKey } = await addKeyFile();
  const command = `cat '${keyFile}'`;

  const login = await machine.run(['auth', 'login', '--key-command', command]);

  expect(login).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('The command is stored in') });
  const file = path.join(machine.configDirectory, 'settings.json');
  expect(readFileSync(file, 'utf8')).not.toContain(apiKey);
  expect(JSON.parse(readFileSync(file, 'utf8')).profiles.main).toMatchObject({ keyCommand: command });
  const status = await machine.run(['auth', 'status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({
    keySource: 'profile',
    keyFrom: expect.stringContaining(command),
    scopes: expect.arrayContaining(['settings:read', 'backups:write']),
  });
  const elsewhere = await machine.run(['settings', 'show', '--base-url', 'http://127.0.0.1:9']);
  expect(elsewhere).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('no key for') });
  const logout = await machine.run(['auth', 'logout']);
  expect(logout.stderr).toContain('Removed the key command');
  expect(logout.stderr).not.toContain('only copy');
});

test('auth logout says when it removes the only copy of a key', async () => {
  const { machine, apiKey } = await addKeyFile();
  const login = (profile: string) =>
    machine.run(['auth', 'login', '--profile', profile, '--with-key'], { stdin: { text: apiKey } });
  await login('main');
  await login('other');

  expect((await machine.run(['auth', 'logout', '--profile', 'other'])).stderr).not.toContain('only copy');
  expect((await machine.run(['auth', 'logout'])).stderr).toContain('It was the only copy on this machine');
});
