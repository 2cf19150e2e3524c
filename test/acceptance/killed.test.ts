import { expect, test } from 'vitest';
import { typed } from '../helpers/typed.ts';
import { expectHonesty, forEachConcurrently, killAtEveryStep, resumeAll } from './kill-at-every-step.ts';
import { effectsOf, setScene } from './scene.ts';

/* A keyed and a one-shot operation; the others are killed in test/system. */

const backupArgs = async (name: string) => ['backup', 'create', '--label', name, '--sections', 'store'];

test('backup create, killed at every step: resume makes the one backup, or nothing was ever sent', async () => {
  const scene = await setScene();
  await killAtEveryStep(scene, backupArgs, async (trial) => {
    const { exitCode, records, stderr } = await resumeAll(trial);
    expect(exitCode, trial.when + stderr).toBe(0);
    expect(
      records.map(({ state }) => state),
      trial.when,
    ).toEqual(records.length === 0 ? [] : ['applied']);
    const { backups } = await effectsOf(scene.service);
    expect(
      backups.filter(({ label }) => label === trial.name),
      trial.when,
    ).toHaveLength(records.length);
    const sent = scene.proxy.requests.filter(({ body }) => body.includes(`"${trial.name}"`));
    expect(new Set(sent.map(({ bytes }) => bytes)).size, trial.when).toBe(records.length);
  });
});

test('notify add-endpoint, killed at every step: an honest unknown or never sent, never two endpoints', async () => {
  const scene = await setScene();
  let number = 4710;
  const makeArgs = async (name: string) => {
    number += 1;
    return typed`notify add-endpoint --name ${name} --events feedback_digest
      --url https://discord.com/api/webhooks/${number}/a-token`;
  };
  const { storage, storeId } = scene.service;
  await killAtEveryStep(scene, makeArgs, async (trial) => {
    await expectHonesty(trial, async () => {
      const { endpoints } = await effectsOf(scene.service);
      return endpoints.filter(({ name }) => name === trial.name).length;
    });
    // A store has so many endpoints and no more.
    await storage
      .forStore(storeId)
      .write((db) => db.deleteFrom('endpoints').where('name', '=', trial.name).execute());
  });
});

test('killed at random times, again and again, over one key: one backup', async () => {
  const { machine, service } = await setScene();
  const args = [...(await backupArgs('random')), '--idempotency-key', 'random-key', '-q'];
  const rounds = Array.from({ length: 20 }, (_, round) => round);
  let kills = 0;
  await forEachConcurrently(rounds, async () => {
    const running = machine.start(args);
    const timer = setTimeout(() => running.process.kill('SIGKILL'), 30 + Math.random() * 300);
    const { signal, exitCode } = await running.ended;
    clearTimeout(timer);
    if (signal === 'SIGKILL') kills += 1;
    else expect(exitCode).toBe(0);
  });
  expect(kills).toBeGreaterThan(0);
  expect(await machine.run(['resume'])).toMatchObject({ exitCode: 0 });
  const { backups } = await effectsOf(service);
  const last = await machine.run(args);
  expect(last).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\S+\n$/) });
  const after = await effectsOf(service);
  expect(after.backups.map(({ id }) => id)).toEqual([last.stdout.trim()]);
  expect(backups.length).toBeLessThanOrEqual(1);
  const listed = await machine.run(['history', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ state: 'applied', idempotencyKey: 'random-key' }]);
  expect(listed.stderr).toBe('');
});
