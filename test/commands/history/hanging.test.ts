import { expect, test } from 'vitest';
import { setScene } from '../../helpers/scene.ts';

test('a service that does not answer is named, with what to do next', async () => {
  const { server, machine } = await setScene({ answers: [{ does: 'hang' }] });
  const { host } = new URL(server.url);
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '--timeout', '0.3'];
  const whenItAnswers = /run `storectl resume (\S+)` when the service answers again\n/;

  const first = await machine.run(create);
  const [, id = ''] = whenItAnswers.exec(first.stderr) ?? [];
  const resumed = await machine.run(['resume', '--timeout', '0.3']);
  const list = await machine.run(['history', 'list']);
  const show = await machine.run(['history', 'show', id]);

  expect(first.exitCode).toBe(10);
  expect(first.stderr).toContain(`it is in doubt whether it was applied: ${host} did not answer within`);
  expect(first.stderr).not.toContain('before you run the command again');
  expect(resumed.exitCode).toBe(10);
  expect(resumed.stdout).toContain(`${host} did not answer within`);
  expect(resumed.stderr).toMatch(whenItAnswers);
  expect(list.stdout).toContain('in doubt');
  expect(show.stdout).toMatch(/^State +in doubt$/m);
  expect(show.stdout.match(/^ *Idempotency key/gm)).toHaveLength(1);
  expect(show.stdout.match(/^ *Label/gm)).toHaveLength(1);
});
