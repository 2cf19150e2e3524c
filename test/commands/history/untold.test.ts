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
