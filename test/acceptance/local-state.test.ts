import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { storeFolder } from '../../src/history/store-folder.ts';
import { makeNamedPipe } from '../helpers/named-pipe.ts';
import { newProgramMachine, type ProgramMachine, programLine } from '../helpers/program.ts';
import { setScene } from '../helpers/scene.ts';
import { errorOf } from './effects.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];
const historyOf = ({ stateDirectory, env }: ProgramMachine) =>
  storeFolder(path.join(stateDirectory, 'history'), {
    baseUrl: env.STORECTL_BASE_URL ?? '',
    storeId: env.STORECTL_STORE_ID ?? '',
  });

/** A file to preload: `call` of node:fs fails with `code` wherever it writes. */
function failingDisk({ folder }: ProgramMachine, code: string, call: string): string {
  const preload = path.join(folder, 'failing-disk.cjs');
  writeFileSync(
    preload,
    `const fs = require('node:fs');
const { ${call}: original, constants } = fs;
fs.${call} = (...parameters) => {
  const [, flags = 0] = parameters;
  const reads = '${call}' === 'openSync' && flags !== 'w' && (Number(flags) & constants.O_CREAT) === 0;
  if (reads) return original.apply(fs, parameters);
  throw Object.assign(new Error('${code}: as the test wants it'), { code: '${code}' });
};`,
  );
  return preload;
}

test('a full disk (no file may grow): exit 11, nothing sent, the record of before is whole', async () => {
  const { machine, proxy } = await setScene({ built: true });
  await machine.run(create);
  const folder = historyOf(machine);
  const before = readdirSync(folder);
  const result = await machine.shell(`ulimit -f 0; ${programLine} ${create.join(' ')}`);
  expect(result).toMatchObject({ exitCode: 11 });
  expect(result.stderr).toMatch(/file too large/);
  expect(result.stderr).toContain('nothing was sent');
  expect(proxy.requests).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(before);
  expect(JSON.parse((await machine.run(['history', 'list', '--json'])).stdout)).toMatchObject([
    { state: 'applied' },
  ]);
});

test.each([
  ['ENOSPC', 'fsyncSync', /no space left/],
  ['EROFS', 'openSync', /read-only/],
  ['EACCES', 'mkdirSync', /permission denied/],
  ['EIO', 'renameSync', /i\/o error/],
])('%s from %s: a clear message, exit 11, nothing sent', async (code, call, message) => {
  const { machine, proxy } = await setScene({ built: true });
  const preload = failingDisk(machine, code, call);
  const result = await machine.run([...create, '--json'], { preload });
  expect(result.exitCode).toBe(11);
  expect(errorOf(result)).toMatchObject({ outcome: 'not_sent', message: expect.stringMatching(message) });
  expect(proxy.requests).toEqual([]);
});

test('a file, and a symbolic link, where the history should be: exit 11, nothing sent', async () => {
  const scene = await setScene({ built: true });
  const [file, link] = [scene.anotherMachine(), scene.anotherMachine()];
  writeFileSync(file.stateDirectory, 'I am a file');
  expect(await file.run(create)).toMatchObject({ exitCode: 11 });
  for (const args of [
    ['history', 'list'],
    ['history', 'show', 'x'],
    ['resume'],
    ['history', 'prune', '--older-than', '1d'],
  ]) {
    const looked = await file.run(args);
    expect(looked).toMatchObject({ exitCode: 11, stdout: '' });
    expect(looked.stderr).not.toContain('bug');
  }
  mkdirSync(path.dirname(historyOf(link)), { recursive: true });
  const target = path.join(link.folder, 'elsewhere');
  mkdirSync(target);
  symlinkSync(target, historyOf(link));
  const result = await link.run(create);
  expect(result).toMatchObject({ exitCode: 11, stderr: expect.stringContaining('symbolic link') });
  expect(readdirSync(target)).toEqual([]);
  expect(scene.proxy.requests).toEqual([]);
});

test.each([
  { home: '', own: {}, missing: 'STORECTL_CONFIG_DIR' },
  { home: 'somewhere', own: {}, missing: 'STORECTL_CONFIG_DIR' },
  // A user whom the system's list does not name, as in many containers.
  { home: undefined, own: { XDG_CONFIG_HOME: 'relative' }, missing: 'STORECTL_CONFIG_DIR' },
  { home: '', own: { STORECTL_CONFIG_DIR: 'own' }, missing: 'STORECTL_STATE_DIR' },
])(
  'HOME=$home, and $own: exit 11 names what to set, and nothing is sent or written',
  async ({ home, own, missing }) => {
    const { machine, proxy } = await setScene({ built: true });
    const preload = path.join(machine.folder, 'no-home.cjs');
    const lost = 'throw new Error("ENOENT")';
    writeFileSync(preload, home === undefined ? `require('node:os').homedir = () => { ${lost}; };` : '');
    const before = readdirSync(machine.folder);
    const none = { HOME: home ?? '', STORECTL_CONFIG_DIR: '', STORECTL_STATE_DIR: '' };
    const options = { env: { ...none, ...own }, preload };
    const result = await machine.run([...create, '--json'], options);

    expect(result.exitCode).toBe(11);
    expect(errorOf(result)).toMatchObject({ code: 'no_home', outcome: 'not_sent' });
    expect(errorOf(result).hint).toContain(
      'set HOME, or set STORECTL_CONFIG_DIR and STORECTL_STATE_DIR to directories',
    );
    expect(await machine.run(['doctor'], options)).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining(missing),
    });
    expect(await machine.run(['--help'], options)).toMatchObject({ exitCode: 0 });
    expect(proxy.writes()).toEqual([]);
    expect(readdirSync(machine.folder)).toEqual(before);
  },
);

test.each([
  ['a named pipe', makeNamedPipe],
  ['a device', (file: string) => symlinkSync('/dev/zero', file)],
  ['a folder', (file: string) => mkdirSync(file)],
])('.storectl.json that is %s: exit 11 at once, nothing sent', async (_, make) => {
  const { machine, proxy } = await setScene({ built: true });
  make(path.join(machine.folder, '.storectl.json'));

  const result = await machine.run([...create, '--json']);

  expect(result).toMatchObject({ exitCode: 11, signal: null });
  expect(errorOf(result)).toMatchObject({ code: 'folder_settings_unreadable', outcome: 'not_sent' });
  expect(errorOf(result).message).toContain('not a regular file');
  expect(proxy.requests).toEqual([]);
});

test.each([
  ['a named pipe', makeNamedPipe],
  ['a device', (file: string) => symlinkSync('/dev/zero', file)],
])('settings.json that is %s: what needs it is exit 11 at once, and Tab goes on', async (_, make) => {
  const { machine, proxy } = await setScene({ built: true });
  mkdirSync(machine.configDirectory);
  make(path.join(machine.configDirectory, 'settings.json'));

  // What has all it needs in the environment goes on, with a warning.
  const withoutSettings = await machine.run(create);
  expect(withoutSettings).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('settings.json') });
  expect(proxy.writes()).toHaveLength(1);
  for (const args of [
    ['profile', 'list'],
    ['profile', 'use', 'demo'],
  ]) {
    const result = await machine.run([...args, '--json']);
    expect(result).toMatchObject({ exitCode: 11, signal: null });
    expect(errorOf(result)).toMatchObject({ code: 'settings_unreadable', outcome: 'not_sent' });
    expect(errorOf(result).message).toContain('not a regular file');
  }
  expect(await machine.run(['doctor'])).toMatchObject({
    exitCode: 0,
    signal: null,
    stderr: expect.stringContaining('not a regular file'),
  });
  expect(await machine.run(['__complete', 'fish', '--current=', 'profile', 'use'])).toMatchObject({
    exitCode: 0,
    signal: null,
  });
  expect(proxy.writes()).toHaveLength(1);
});

test('a working folder that was removed is no crash: what needs no file in it works', async () => {
  const machine = newProgramMachine();
  const inRemoved = 'mkdir gone && cd gone && rmdir ../gone';
  const list = await machine.shell(`${inRemoved} && storectl profile list --json`);
  expect(list).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  const post = await machine.shell(`${inRemoved} && storectl --demo blog create post.md`);
  expect(post.exitCode).toBe(2);
  expect(post.stderr).not.toMatch(/^ +at /m);
});
