import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { serializeWithChecksum } from '../../../src/history/records/checksum.ts';
import { machineFor } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';

test('what was applied and never told is listed by resume, once', async () => {
  await using server = await startFaultServer([answer(201, { id: 'b-1' })]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);
  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  const names = readdirSync(machine.stateDirectory, { recursive: true, encoding: 'utf8' });
  const file = path.join(machine.stateDirectory, names.find((name) => name.endsWith('.json')) ?? '');
  const { checksum: _, ...record } = JSON.parse(readFileSync(file, 'utf8'));
  expect(record).toMatchObject({ state: 'applied', reported: true });
  // As a process leaves it that is killed before it prints.
  writeFileSync(file, serializeWithChecksum({ ...record, reported: false }, 'file'));

  const resumed = await machine.run(['resume', '--json']);

  expect(resumed.exitCode).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject([
    { id: record.id, result: { id: 'b-1' }, message: 'applied; you were not told' },
  ]);
  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  expect(server.requests).toHaveLength(1);
});

test('what the user has marked as applied is not listed again, and the same key says that there is no answer', async () => {
  await using server = await startFaultServer([{ does: 'drop' }]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  const create = [
    'backup',
    'create',
    '--label',
    'nightly',
    '--sections',
    'store',
    '--idempotency-key',
    'k-1',
  ];
  const lost = await machine.run([...create, '--timeout', '0.3', '--json']);
  expect(lost.exitCode).toBe(10);
  const { operationId } = JSON.parse(lost.stderr.trimEnd().split('\n').at(-1) ?? '').error;
  const before = server.requests.length;

  expect(await machine.run(['resume', operationId, '--mark', 'applied'])).toMatchObject({ exitCode: 0 });

  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  const again = await machine.run(create);
  expect(again).toMatchObject({ exitCode: 0, stdout: '' });
  expect(again.stderr).toContain(`${operationId} was marked as applied with \`storectl resume\``);
  expect(again.stderr).not.toContain('undefined');
  expect(server.requests).toHaveLength(before);
});
