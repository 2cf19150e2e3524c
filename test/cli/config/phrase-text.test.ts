import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';

const storeId = 'store-1';
const apiKey = 'sk_test_0a1b2c3d4e5f6g7h';

test('a command in the words of the service is not changed, and those of the program name the profile', async () => {
  const message = 'ask `storectl store update` or `storectl api`';
  const server = await startFaultServer([answer(409, { code: 'busy', message })]);
  const machine = machineFor({ origin: server.url, storeId, apiKey });

  const refused = await machine.run(['--profile', 'outlet', 'settings', 'show']);
  const listed = await machine.run(['--profile', 'outlet', 'backup', 'list']);
  await server.close();

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
  const server = await startFaultServer([answer(200, { deskEmail: 'a@example.com' })]);
  const machine = machineFor({ origin: server.url, storeId, apiKey });
  const save = ['settings', 'save', '--set', 'deskEmail=b@example.com', '--dry-run'];

  const { stderr } = await machine.run(['--profile', 'outlet', ...save]);
  await server.close();

  expect(stderr).toContain('run `storectl --profile outlet settings diff` with the same flags');
});
