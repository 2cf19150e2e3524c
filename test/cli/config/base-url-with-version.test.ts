import { expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { startService } from '../../helpers/service.ts';

test('after a 404, a base URL that ends in a version is named as the likely cause', async () => {
  const { origin, storeId, apiKey } = await startService();
  const machine = machineFor({ origin: `${origin}/v1`, storeId, apiKey });
  for (const args of [
    ['settings', 'show'],
    ['auth', 'status'],
    ['doctor'],
    ['auth', 'login', '--base-url', `${origin}/v1`, '--store', storeId, '--with-key'],
  ]) {
    expect(await machine.run(args, { stdin: apiKey })).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/the base URL ends in \/v1: leave it out, storectl adds it/i),
    });
  }
});

test('a login that fails names no command that needs the profile', async () => {
  const { origin, apiKey } = await startService();
  const login = ['auth', 'login', '--profile', 'fresh', '--base-url', origin, '--store', 'x', '--with-key'];
  const { exitCode, stderr } = await newMachine().run(login, { stdin: apiKey });
  expect(exitCode).toBe(5);
  expect(stderr).toContain('check the base URL and the store id, and that the key is for this store');
  expect(stderr).not.toContain('auth status');
});
