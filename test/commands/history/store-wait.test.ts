import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--json'];
const disputeId = '0d9f2c1e-8d0c-4c7e-9a51-6f2b3c4d5e6f';
const decide = typed`disputes decide ${disputeId} --status won --resolution Delivered --json`.concat(
  '--confirm',
  disputeId,
);
const update = ['store', 'update', '--name', 'New', '--json'];

test('a store that asked one command to wait is left alone by the next: exit 8 with the time', async () => {
  await using server = await startFaultServer([
    answer(429, {}, { 'retry-after': '3600' }),
    answer(200, { id: 's-1', name: 'New' }),
  ]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  expect(await machine.run(create)).toMatchObject({ exitCode: 8 });

  const save = ['settings', 'save', '--quiet-hours-start', '21:00', '--json'];
  const show = ['disputes', 'show', disputeId, '--json'];
  const get = ['api', 'GET', '/v1/stores/s-1/operations/settings', '--json'];
  for (const args of [update, save, show, get, decide, create]) {
    const { exitCode, stderr } = await machine.run(args);
    expect(exitCode).toBe(8);
    const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'throttled', outcome: 'not_sent' });
    expect(error.hint).toMatch(
      /^run the command again after 20.* (UTC|[+-]\d\d:\d\d) \(in .*\), or add --timeout 36[06]0 to wait until then$/,
    );
  }
  // What a change reads first waits with it.
  expect(server.requests).toHaveLength(1);
  // Another store did not ask for anything.
  expect(await machine.run([...update, '--store', 's-2'])).toMatchObject({ exitCode: 0 });
  expect(server.requests).toHaveLength(2);
});

test('a wait that fits the deadline is kept, then the change is sent', async () => {
  const { server, machine } = await setScene({
    answers: [answer(429, {}, { 'retry-after': '2' }), answer(200, { id: 's-1', name: 'New' })],
  });
  expect(await machine.run([...create, '--timeout', '1'])).toMatchObject({ exitCode: 8 });

  expect(await machine.run(update)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('the service asked to wait'),
  });
  const [first, second] = server.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2000);
});

test('of a wait of days, only the time is named, and it is kept for an hour', async () => {
  const { server, machine } = await setScene({
    answers: [answer(429, {}, { 'retry-after': String(30 * 86_400) })],
  });
  const hintOf = async (args: readonly string[]) => {
    const { exitCode, stderr } = await machine.run(args);
    expect(exitCode).toBe(8);
    return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.hint;
  };

  expect(await hintOf(create)).toMatch(/^run the command again after 20.* (UTC|[+-]\d\d:\d\d) \(in .*\)$/);
  expect(await hintOf(update)).toMatch(/^run the command again after 20.* \(in \d\d minutes\)/);
  expect(server.requests).toHaveLength(1);
});

test('a store that asked to wait is not asked either whether it applies the key of a change in doubt once', async () => {
  await using server = await startFaultServer([answer(503, {}, { 'retry-after': '600' })], {
    hasReads: true,
  });
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  const appeal = typed`reclaim appeal ${disputeId} --text Open. --confirm ${disputeId} --json`;
  expect(await machine.run(appeal)).toMatchObject({ exitCode: 10 });

  const { exitCode, stderr } = await machine.run(appeal);
  expect(exitCode).toBe(10);
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { outcome: 'unknown' },
  });
  expect(server.requests).toHaveLength(1);
});
