import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer } from '../../helpers/fault-server.ts';
import { scriptedStore, setScene } from '../../helpers/scene.ts';
import { startService } from '../../helpers/service.ts';

const { storeId, apiKey } = scriptedStore;

test('a command in the words of the service is not changed, and those of the program name the profile', async () => {
  const message = 'ask `storectl store update` or `storectl api`';
  const { machine } = await setScene({ answers: [answer(409, { code: 'busy', message })] });
  await machine.run(['profile', 'set', 'outlet', '--store', storeId]);

  const refused = await machine.run(['--profile', 'outlet', 'settings', 'show']);
  const listed = await machine.run([
    '--profile',
    'outlet',
    'backup',
    'restore',
    '12345678',
    '--sections',
    'store',
  ]);

  expect(refused.exitCode).toBe(6);
  expect(refused.stderr).toContain(`(409 busy): ${message}\n`);
  expect(listed.stderr).toContain('run `storectl --profile outlet backup list` to see the ids');
});

test.each([
  [['--profile', 'outlet'], 'run `storectl --profile outlet history list` to see the ids'],
  [['--demo'], 'run `storectl --demo history list` to see the ids'],
  [[], 'run `storectl history list` to see the ids'],
  [['--store', 'store-2'], 'run `storectl --store store-2 history list` to see the ids'],
  [
    ['--store', 's', '--base-url', 'http://127.0.0.1:8'],
    'run `storectl --store s --base-url http://127.0.0.1:8 history list` to see the ids',
  ],
])('with %j the next command is named with it, for people and as JSON', async (flags, hint) => {
  const machine = machineFor({ origin: 'http://127.0.0.1:9', storeId, apiKey });
  await machine.run(['profile', 'set', 'outlet', '--store', storeId]);
  const show = [...flags, 'history', 'show', 'k3f9a2'];

  const { stderr } = await machine.run(show);

  expect(stderr).toContain(hint);
  expect(JSON.parse((await machine.run([...show, '--json'])).stderr)).toMatchObject({ error: { hint } });
});

test('the command that takes a change back works as printed', async () => {
  const { origin, storeId: id, apiKey: key } = await startService();
  const machine = machineFor({ origin: 'https://api.example.com', storeId, apiKey });
  await machine.run(['profile', 'set', 'new', '--store', id]);
  const target = ['--profile', 'new', '--store', id, '--base-url', origin];
  const options = { env: { STORECTL_API_KEY: key } };

  const saved = await machine.run([...target, 'settings', 'save', '--quiet-hours-start', '21:00'], options);
  const [, undo = ''] = /^Undo: storectl (.*)$/m.exec(saved.stderr) ?? [];

  expect(undo).toMatch(`${target.join(' ')} undo `);
  expect(await machine.run(undo.split(' '), options)).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('21:00 → 22:00'),
  });
});

test('the note after a dry run names the profile, too', async () => {
  const { machine } = await setScene({ answers: [answer(200, { deskEmail: 'a@example.com' })] });
  await machine.run(['profile', 'set', 'outlet', '--store', storeId]);
  const save = ['settings', 'save', '--set', 'deskEmail=b@example.com', '--dry-run'];

  const { stderr } = await machine.run(['--profile', 'outlet', ...save]);

  expect(stderr).toContain('run `storectl --profile outlet settings diff` with the same flags');
});
