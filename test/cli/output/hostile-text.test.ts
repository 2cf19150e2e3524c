import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { newMachine } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { makeNamedPipe } from '../../helpers/named-pipe.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const backup = { id: '0b8f3f0e-3c1e-4d0f-9a54-5d2f6f3e8a11', label: 'x', sections: ['store'] };
const create = ['backup', 'create', '--label', 'x', '--sections', 'store'];

describe('--dry-run', () => {
  test.each([
    ['auth', 'logout'],
    ['profile', 'remove', 'main', '--confirm', 'main'],
    ['profile', 'set', 'main', '--store', 'other'],
    ['profile', 'use', 'demo'],
    ['demo', 'reset', '--confirm', 'demo'],
    ['history', 'list'],
    ['service', 'stores', 'create', '--name', 'Shop'],
    ['settings', 'edit'],
  ])('is refused by %s %s, which then does nothing', async (...args) => {
    const machine = newMachine();

    const { exitCode, stderr } = await machine.run([...args, '--dry-run']);

    expect(stderr).toContain('this command does not support --dry-run');
    expect(exitCode).toBe(2);
    expect([existsSync(machine.configDirectory), existsSync(machine.stateDirectory)]).toEqual([false, false]);
  });
});

describe('--output-file', () => {
  test.each(['folder', 'fifo', 'dangling', ''])('%j is refused before anything is sent', async (name) => {
    const { server, machine } = await setScene({ answers: [answer(201, backup)] });
    mkdirSync(path.join(machine.folder, 'folder'));
    makeNamedPipe(path.join(machine.folder, 'fifo'));
    symlinkSync('nowhere', path.join(machine.folder, 'dangling'));

    const { exitCode, stderr } = await machine.run([...create, '--output-file', name]);

    expect(stderr).toContain('--output-file');
    expect(exitCode).toBe(2);
    expect(server.requests).toHaveLength(0);
    expect(statSync(path.join(machine.folder, 'fifo')).isFIFO()).toBe(true);
  });

  test.each([
    ['-', 'the response is always printed'],
    ['', 'the response is always printed'],
    ['nope/out.json', 'directory '],
  ])('%j is refused as a file, and the message says why', async (name, says) => {
    const { server, machine } = await setScene({ answers: [answer(201, backup)] });

    const { exitCode, stderr } = await machine.run([...create, '--output-file', name]);

    expect(stderr).toContain(name.startsWith('nope') ? says + path.join(machine.folder, 'nope') : says);
    expect(exitCode).toBe(2);
    expect(readdirSync(machine.folder)).not.toContain('-');
    expect(server.requests).toHaveLength(0);
  });

  test('that is a link writes to the file behind it', async () => {
    const { machine } = await setScene({ answers: [answer(201, backup)] });
    writeFileSync(path.join(machine.folder, 'real.json'), 'old');
    symlinkSync('real.json', path.join(machine.folder, 'link.json'));

    const { exitCode } = await machine.run([...create, '--output-file', 'link.json']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(path.join(machine.folder, 'real.json'), 'utf8'))).toEqual(backup);
  });
});

describe('an answer that is not what the contract says', () => {
  test.each([null, [1, 2], 'text', {}])('%j: -q prints nothing, and does not end with 0', async (body) => {
    const { machine } = await setScene({ answers: [answer(201, JSON.stringify(body))] });

    const { exitCode, stdout, stderr } = await machine.run([...create, '-q']);

    expect(stdout).toBe('');
    expect(stderr).toMatch(/contains no id/);
    expect(exitCode).toBe(12);
  });

  test.each([
    [typed`store update --name Shop`, 'Updated the store'],
    [typed`blog create --title Sale --content-md Text`, 'Created post "Sale"'],
    [typed`disputes open --reason Lost`, 'Opened dispute'],
    [typed`backup create --label nightly --sections store,blog`, 'Created backup "nightly" (store, blog)'],
    [
      typed`notify add-endpoint --name Team --url https://discord.com/api/webhooks/1/t --events post_created`,
      'Added endpoint "Team"',
    ],
  ])('%j: what the answer does not name is not shown as undefined', async (line, done) => {
    const { machine } = await setScene({ answers: [answer(201, '{}')] });

    const { stderr } = await machine.run(line);

    expect(stderr).toContain(`✓ ${done}\n`);
    expect(stderr).not.toContain('undefined');
  });

  test('204 with --json is one JSON document', async () => {
    const { machine } = await setScene({ answers: [answer(204)] });

    const { stdout } = await machine.run(['notify', 'mark-read', '--all', '--json']);

    expect(stdout).toBe('null\n');
  });

  test.each(['settings show', 'disputes show 5f0cbead-0000-4000-8000-000000000001'])(
    '%s of no object is exit 9',
    async (command) => {
      const { machine } = await setScene({ answers: [answer(200, 'null')] });

      const { exitCode, stdout } = await machine.run(command.split(' '));

      expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
    },
  );
});

test('--debug shows no secret of a webhook', async () => {
  const { machine } = await setScene({ answers: [answer(201, { id: 'e-1' })] });
  const url = 'https://discord.com/api/webhooks/123/very-secret_Token';

  const { stderr } = await machine.run(
    typed`notify add-endpoint --name Team --url ${url} --events feedback_digest --debug`,
  );

  expect(stderr).toContain('/webhooks/123/***');
  expect(stderr).not.toContain('very-secret');
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

test('a damaged demo store is exit 11, and reset repairs it', async () => {
  const machine = newMachine();
  mkdirSync(path.join(machine.stateDirectory, 'demo'), { recursive: true });
  writeFileSync(path.join(machine.stateDirectory, 'demo', 'store.db'), 'no database at all'.repeat(100));

  const broken = await machine.run(['--demo', 'demo', 'info']);
  await machine.run(['demo', 'reset', '--confirm', 'demo']);

  expect(broken).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('storectl demo reset') });
  expect((await machine.run(['--demo', 'demo', 'info', '--json'])).exitCode).toBe(0);
});
