import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { fakeService, fakeStore } from '../../helpers/scene.ts';

const { storeId, apiKey } = fakeStore;

test('a command in the words of the service is not changed, and those of the program name the profile', async () => {
  const message = 'ask `storectl store update` or `storectl api`';
  const { machine } = await fakeService(answer(409, { code: 'busy', message }));

  const refused = await machine.run(['--profile', 'outlet', 'settings', 'show']);
  const listed = await machine.run(['--profile', 'outlet', 'backup', 'list']);

  expect(refused.exitCode).toBe(6);
  expect(refused.stderr).toContain(`(409 busy): ${message}\n`);
  expect(listed.stderr).toContain('Start with `storectl --profile outlet backup create`.');
});

test.each([
  [['--profile', 'outlet'], 'run `storectl --profile outlet history list` to see the ids'],
  [['--demo'], 'run `storectl --demo history list` to see the ids'],
  [[], 'run `storectl history list` to see the ids'],
])('with %j the next command is named with it, for people and as JSON', async (flags, hint) => {
  const machine = machineFor({ origin: 'http://127.0.0.1:9', storeId, apiKey });
  const show = [...flags, 'history', 'show', 'k3f9a2'];

  const { stderr } = await machine.run(show);
  const json = await machine.run([...show, '--json']);

  expect(stderr).toContain(hint);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { hint } });
});

test('the note after a dry run names the profile, too', async () => {
  const { machine } = await fakeService(answer(200, { deskEmail: 'a@example.com' }));
  const save = ['settings', 'save', '--set', 'deskEmail=b@example.com', '--dry-run'];

  const { stderr } = await machine.run(['--profile', 'outlet', ...save]);

  expect(stderr).toContain('run `storectl --profile outlet settings diff` with the same flags');
});
