import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';

describe('--dry-run', () => {
  test.each([
    ['auth', 'logout'],
    ['profile', 'remove', 'main', '--confirm', 'main'],
    ['profile', 'set', 'main', '--store', 'other'],
    ['profile', 'use', 'demo'],
    ['demo', 'reset', '--confirm', 'demo'],
    ['history', 'list'],
    ['service', 'stores', 'create', '--name', 'Shop'],
    ['settings', 'edit'],
  ])('is refused by %s %s, which then does nothing', async (...args) => {
    const machine = newMachine();

    const { exitCode, stderr } = await machine.run([...args, '--dry-run']);

    expect(stderr).toContain('this command does not support --dry-run');
    expect(exitCode).toBe(2);
    expect([existsSync(machine.configDirectory), existsSync(machine.stateDirectory)]).toEqual([false, false]);
  });
});

const storeId = '4be5c0de-0000-4000-8000-000000000001';
const apiKey = 'any-key-of-another-service';

test('--dry-run shows the request to people as well, and records nothing', async () => {
  const machine = machineFor({ origin: 'https://api.example.com', storeId, apiKey });

  const result = await machine.run(['store', 'update', '--name', 'x', '--dry-run']);

  expect(result).toEqual({
    exitCode: 0,
    stdout: `PATCH https://api.example.com/v1/stores/${storeId}
authorization: Bearer [redacted]
accept: application/json
content-type: application/json

{
  "name": "x"
}
`,
    stderr: 'dry run: nothing was sent\n',
  });
  expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
});

const id = '4be5c0de-0000-4000-8000-000000000001';

test.each([
  [
    ['settings', 'save', '--quiet-hours-enabled'],
    /To see the changes, run `storectl settings diff` with the same flags/,
  ],
  [
    ['backup', 'restore', id, '--sections', 'store', '--confirm', id],
    /a safety backup of the same sections is taken first/,
  ],
])('%j --dry-run says what else would be sent', async (args, note) => {
  const machine = machineFor({ origin: 'https://api.example.com', storeId, apiKey });

  const result = await machine.run([...args, '--dry-run', '--json']);

  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(note) });
});

test('--dry-run shows people what would change beside the present values, above the request', async () => {
  const { machine } = await setScene();

  const { exitCode, stdout, stderr } = await machine.run(
    ['store', 'update', '--cashback-bp', '260', '--dry-run'],
    { columns: 80 },
  );

  expect(exitCode).toBe(0);
  expect(stdout).toContain('"cashbackBp": 260');
  expect(stderr).toMatch(/Cashback.*260 bp \(2\.6 %\) {2}\(was 200 bp/);
  expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
});
