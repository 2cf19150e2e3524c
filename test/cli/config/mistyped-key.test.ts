import { expect, onTestFinished, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';

const good = 'sk_live_K3y1dForTest_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG2B7Mwa';
const mistyped = good.replace('0123', '0132');

async function startServer() {
  const server = await startFaultServer([answer(200, {})]);
  onTestFinished(() => server.close());
  return server;
}

test('a mistyped key of ours is refused before anything is sent, and not shown', async () => {
  const server = await startServer();
  const machine = machineFor({ origin: server.url, storeId: 'a-store', apiKey: mistyped });
  const shown = await machine.run(['settings', 'show', '--json']);
  expect(shown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.parse(shown.stderr).error).toMatchObject({ code: 'malformed_key', outcome: 'not_sent' });

  const args = ['auth', 'login', '--base-url', server.url, '--store', 'a-store', '--with-key', '--json'];
  const login = await newMachine().run(args, { stdin: mistyped });
  expect(login.exitCode).toBe(2);
  expect(JSON.parse(login.stderr).error).toMatchObject({ code: 'malformed_key' });

  expect(shown.stderr + login.stderr).not.toContain(mistyped.slice(-20));
  expect(server.connections).toBe(0);
});

test.each([
  ['a good key', good],
  ['a key of another service with the same prefix', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'],
  ['a key of another form', 'a-key'],
])('%s is sent', async (_, apiKey) => {
  const server = await startServer();
  const { exitCode } = await machineFor({ origin: server.url, storeId: 'a-store', apiKey }).run([
    'settings',
    'show',
  ]);
  expect(exitCode).toBe(0);
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

test('a key in the place of a store id is refused, and never printed', async () => {
  const { service, machine } = await setScene();
  for (const [args, env] of [
    [['store', 'update', '--name', 'x', '--store', service.apiKey], {}],
    [['auth', 'status'], { STORECTL_STORE_ID: service.apiKey }],
  ] as const) {
    const { exitCode, stdout, stderr } = await machine.run(args, { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is an API key');
    expect(stdout + stderr).not.toContain(service.apiKey);
  }
});
