import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answer } from '../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../helpers/scene.ts';
import { effectsOf, errorOf } from './effects.ts';

const never = new Promise(() => {});
const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--json'];

test.each([
  ['keyed', create],
  ['one-shot', ['blog', 'create', '--title', 'Sale', '--content-md', 'Text.', '--json']],
])('Ctrl-C while the answer is awaited (%s): exit 10 with the id, and no second request', async (_, args) => {
  const { machine, proxy, service } = await setScene({ built: true });
  proxy.decide(() => ({ holdUntil: never }));
  const running = machine.start(args);
  await proxy.received(1);
  running.process.kill('SIGINT');
  const result = await running.ended;
  expect(result).toMatchObject({ exitCode: 10, signal: null });
  const { operationId } = errorOf(result);
  expect(operationId).toMatch(/^[a-z0-9]{6}$/);
  expect(proxy.requests).toHaveLength(1);

  proxy.decide(() => 'pass');
  expect(await machine.run(['resume', operationId])).toMatchObject({ exitCode: 0 });
  const { backups, posts } = await effectsOf(service);
  expect(backups.length + posts.filter(({ title }) => title === 'Sale').length).toBe(1);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s is the same with stored settings', async (signal) => {
  const { machine, proxy } = await setScene({ built: true });
  mkdirSync(machine.configDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(machine.configDirectory, 'settings.json'), '{"profiles":{}}', { mode: 0o600 });
  proxy.decide(() => ({ holdUntil: never }));
  const running = machine.start(create);
  await proxy.received(1);
  running.process.kill(signal);

  const result = await running.ended;
  expect(result).toMatchObject({ exitCode: 10, signal: null });
  expect(errorOf(result).operationId).toMatch(/^[a-z0-9]{6}$/);
});

test('Ctrl-C between two attempts: exit 10, and no further request', async () => {
  const { machine, proxy } = await setScene({ built: true });
  proxy.decide(() => ({ status: 503, headers: { 'retry-after': '20' } }));
  const running = machine.start(create);
  await running.shown(/retrying in/);
  running.process.kill('SIGINT');
  expect(await running.ended).toMatchObject({ exitCode: 10 });
  expect(proxy.requests).toHaveLength(1);
});

test('Ctrl-C before anything is sent, while standard input is read: exit 130, nothing on the wire', async () => {
  const { machine, proxy } = await setScene({ built: true });
  const preload = path.join(machine.folder, 'tell.cjs');
  // Says when the program begins to read its standard input.
  writeFileSync(
    preload,
    `const { stdin } = process;
const { read } = stdin;
stdin.read = function (...parameters) { process.stderr.write('reading\\n'); stdin.read = read; return read.apply(this, parameters); };`,
  );
  const running = machine.start(['backup', 'create', '--from-file', '-', '--json'], {
    stdin: 'silent',
    preload,
  });
  await running.shown(/reading/);
  running.process.kill('SIGINT');
  expect(await running.ended).toMatchObject({ exitCode: 130 });
  expect(proxy.requests).toEqual([]);
  expect(existsSync(machine.stateDirectory)).toBe(false);
});

test('Ctrl-C while the record is another process’s: exit 130, and the other one goes on', async () => {
  const { machine, proxy } = await setScene({ built: true });
  let answer = () => {};
  proxy.decide(() => ({ holdUntil: new Promise<void>((resolve) => (answer = resolve)) }));
  const args = [...create, '--idempotency-key', 'nightly-1'];
  const first = machine.start(args);
  await proxy.received(1);
  const second = machine.start(args);
  await second.shown(/Waiting for another storectl/);
  second.process.kill('SIGINT');
  expect(await second.ended).toMatchObject({ exitCode: 130 });
  answer();
  expect(await first.ended).toMatchObject({ exitCode: 0 });
  expect(proxy.requests).toHaveLength(1);
});

test('killed between a refusal and the next update: resume says that the change was not applied, and sends nothing', async () => {
  const keys = { 'service-features': 'reads, keys' };
  const { server, machine } = await setScene({
    built: true,
    hasReads: true,
    answers: [
      answer(200, { id: scriptedStore.storeId, name: 'Shop', settings: {} }, { ...keys, etag: '"1"' }),
      answer(412, { code: 'etag_mismatch' }, { ...keys, 'idempotency-kept': 'true' }),
      { does: 'hang' },
    ],
  });
  const running = machine.start(['store', 'update', '--name', 'Outlet']);
  await server.received(3);
  running.process.kill('SIGKILL');
  await running.ended;

  const { exitCode, stdout } = await machine.run(['resume']);

  expect(exitCode).toBe(6);
  expect(stdout).toMatch(/^failed +\w+ +store\.update +Outlet +not applied: .*412/);
  expect(server.requests).toHaveLength(3);
});
