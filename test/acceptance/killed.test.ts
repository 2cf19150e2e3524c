import { expect, test } from 'vitest';
import { typed } from '../helpers/typed.ts';
import { forEachConcurrently } from './kill-at-every-step.ts';
import { effectsOf, setScene } from './scene.ts';

test('killed at random times, again and again, over one key: one backup', async () => {
  const { machine, service } = await setScene();
  const args = typed`backup create --label random --sections store --idempotency-key random-key -q`;
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
}, 120_000);
