import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type ProgramScene, setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';
import { effectsOf, errorOf } from './effects.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

test.each([
  ['in one state folder', (scene: ProgramScene) => scene.machine],
  ['on 20 machines', (scene: ProgramScene) => scene.anotherMachine()],
])('20 processes at once with one key %s: one backup, one id, exit 0', async (_, machineOf) => {
  const scene = await setScene({ built: true });
  const args = [...create, '--idempotency-key', 'nightly-1', '-q'];
  const results = await Promise.all(Array.from({ length: 20 }, () => machineOf(scene).run(args)));

  const { backups } = await effectsOf(scene.service);
  expect(backups).toHaveLength(1);
  expect(new Set(results.map(({ stdout }) => stdout))).toEqual(new Set([`${backups[0]?.id}\n`]));
  expect(new Set(results.map(({ exitCode }) => exitCode))).toEqual(new Set([0]));
});

test('another process that does not come to its end is waited for as long as --timeout says: exit 11', async () => {
  const { machine, proxy, service } = await setScene({ built: true });
  proxy.decide(() => ({ waitFor: new Promise(() => {}) }));
  const args = [...create, '--idempotency-key', 'nightly-1'];
  const first = machine.start(args);
  while (proxy.requests.length === 0) await sleep(20);
  const second = await machine.run([...args, '--timeout', '1', '--json']);
  expect(second).toMatchObject({ exitCode: 11, stdout: '' });
  expect(errorOf(second)).toMatchObject({ code: 'history_busy', outcome: 'not_sent' });
  expect(errorOf(second).message).toContain(`process ${first.process.pid} on `);
  expect((await effectsOf(service)).backups).toEqual([]);
});

test('the same key for the same store and backup, with their ids in capitals, is the same effect', async () => {
  const { machine, proxy, service } = await setScene({ built: true });
  const { stdout } = await machine.run([...create, '-q']);
  const restore = (change: (id: string) => string) => {
    const id = change(stdout.trim());
    const flags = typed`--sections store --confirm ${id} --no-safety-backup --json --idempotency-key k-1`;
    const env = { STORECTL_STORE_ID: change(service.storeId) };
    return machine.run(['backup', 'restore', id, ...flags], { env });
  };
  proxy.decide(() => ({ status: 503, headers: { 'retry-after': '0' } }));
  expect(await restore((id) => id)).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');
  expect(await restore((id) => id.toUpperCase())).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('with the same idempotency key'),
  });
  expect((await effectsOf(service)).restores).toHaveLength(1);
});

const fromCi = [...create, '--idempotency-from', 'ci', '-q'];

const jobs = {
  'GitHub Actions': {
    first: { GITHUB_RUN_ID: '77', GITHUB_RUN_ATTEMPT: '1', GITHUB_JOB: 'nightly', GITHUB_REPOSITORY: 'a/b' },
    rerun: { GITHUB_RUN_ATTEMPT: '2' },
    next: { GITHUB_RUN_ID: '78' },
  },
  'GitLab CI': {
    first: { CI_PIPELINE_ID: '77', CI_JOB_NAME: 'nightly', CI_PROJECT_ID: '5', CI_JOB_ID: '1001' },
    rerun: { CI_JOB_ID: '1002' },
    next: { CI_PIPELINE_ID: '78' },
  },
  'another provider': {
    first: { STORECTL_CI_RUN_ID: '77', STORECTL_CI_JOB: 'nightly' },
    rerun: {},
    next: { STORECTL_CI_RUN_ID: '78' },
  },
};

test.each(Object.entries(jobs))(
  '%s: a job that is run again makes no second backup; the next run and another store do',
  async (_name, { first, rerun, next }) => {
    const scene = await setScene({ built: true, env: { CI: 'true' } });
    const { proxy, service } = scene;
    const made = await scene.anotherMachine(first).run(fromCi);
    expect(made).toMatchObject({ exitCode: 0 });
    expect(await scene.anotherMachine({ ...first, ...rerun }).run(fromCi)).toEqual(made);
    expect((await effectsOf(service)).backups).toHaveLength(1);
    expect(await scene.anotherMachine({ ...first, ...next }).run(fromCi)).toMatchObject({ exitCode: 0 });
    expect((await effectsOf(service)).backups).toHaveLength(2);
    const elsewhere = { ...first, STORECTL_STORE_ID: 'c0ffee00-0000-4000-8000-000000000000' };
    await scene.anotherMachine(elsewhere).run(fromCi);
    const keys = proxy.requests.map(({ body }) => JSON.parse(body).idempotencyKey);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
  },
);

test('several backups of one CI job: without a name for each exit 2 says how to tell them apart', async () => {
  const scene = await setScene({ built: true, env: { CI: 'true', ...jobs['GitHub Actions'].first } });
  const { machine, service } = scene;
  const other = fromCi.map((word) => (word === 'nightly' ? 'media' : word));
  expect(await machine.run(fromCi)).toMatchObject({ exitCode: 0 });

  const here = await machine.run(other);
  expect(here).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('STORECTL_CI_JOB') });
  const onNewRunner = await scene.anotherMachine().run(other);
  expect(onNewRunner).toMatchObject({ exitCode: 7, stderr: expect.stringContaining('STORECTL_CI_JOB') });

  expect(await machine.run(other, { env: { STORECTL_CI_JOB: 'media' } })).toMatchObject({ exitCode: 0 });
  expect((await effectsOf(service)).backups).toHaveLength(2);
});
