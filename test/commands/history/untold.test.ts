import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { serializeWithChecksum } from '../../../src/history/records/checksum.ts';
import { type Machine, machineFor } from '../../helpers/cli.ts';
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
    { id: record.id, result: { id: 'b-1' }, message: 'applied, but not reported before' },
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

/** The history's file with this ending. */
function historyFile(machine: Machine, ending: string): string {
  const names = readdirSync(machine.stateDirectory, { recursive: true, encoding: 'utf8' });
  return path.join(machine.stateDirectory, names.find((name) => name.endsWith(ending)) ?? '');
}

async function createTwoPosts() {
  const server = await startFaultServer([answer(201, { id: 'p-1' })]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  for (const name of ['a', 'b']) writeFileSync(path.join(machine.folder, `${name}.md`), `# ${name}\n`);
  const create = ['blog', 'create', 'a.md', 'b.md', '--json'];
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
  return { server, machine, create, log: historyFile(machine, '.batch') };
}

test('posts of a batch count as told once they are printed', async () => {
  const { server, machine, create, log } = await createTwoPosts();
  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  const lines = readFileSync(log, 'utf8').split('\n');
  const told = lines.filter((line) => line.includes('"reported":true'));
  expect(told).toHaveLength(2);
  // As a process leaves it that is killed before it prints: its lines are there, and blanks after them.
  writeFileSync(log, `${lines.filter((line) => !told.includes(line)).join('\n')}${' '.repeat(100)}`);

  const resumed = await machine.run(['resume', '--json']);

  expect(JSON.parse(resumed.stdout)).toMatchObject([
    { operation: 'blog.create', message: 'applied before the command ended' },
    { operation: 'blog.create', message: 'applied before the command ended' },
  ]);
  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  expect(await machine.run(create)).toMatchObject({ exitCode: 0 });
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
  await server.close();
});

test('the same batch again tells of posts that were never printed', async () => {
  const { server, machine, create, log } = await createTwoPosts();
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, lines.filter((line) => !line.includes('"reported":true')).join('\n'));

  const again = await machine.run(create);

  expect(JSON.parse(again.stdout)).toMatchObject([{ outcome: 'exists' }, { outcome: 'exists' }]);
  expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
  await server.close();
});

test('a decision of a file counts as told once it is printed', async () => {
  await using server = await startFaultServer([
    answer(200, { record: { id: 'd-1', status: 'open' }, evidence: [] }),
    answer(200, { record: { id: 'd-1', status: 'open' }, evidence: [] }),
    answer(200, { id: 'd-1', status: 'won', resolution: 'Delivered.' }),
  ]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  writeFileSync(path.join(machine.folder, 'd.csv'), 'disputeId,status,resolution\nd-1,won,Delivered.\n');

  expect(await machine.run(['disputes', 'decide', '--from', 'd.csv', '--confirm', '1'])).toMatchObject({
    exitCode: 0,
  });

  expect(JSON.parse(readFileSync(historyFile(machine, '.json'), 'utf8'))).toMatchObject({
    state: 'applied',
    reported: true,
  });
});

test.each([
  ['one dispute', ['d-1', '--status', 'won', '--resolution', 'Delivered.', '--confirm', 'd-1']],
  ['a file', ['--from', 'd.csv', '--confirm', '1']],
])(
  'a decision of %s that was applied and never told is told, even if the dispute cannot be read',
  async (_, args) => {
    const open = answer(200, { record: { id: 'd-1', status: 'open' }, evidence: [] });
    const won = { id: 'd-1', status: 'won', resolution: 'Delivered.' };
    const reads = args.includes('--from') ? [open, open] : [open];
    await using server = await startFaultServer([...reads, answer(200, won), answer(300)]);
    const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
    writeFileSync(path.join(machine.folder, 'd.csv'), 'disputeId,status,resolution\nd-1,won,Delivered.\n');
    const decide = ['disputes', 'decide', ...args, ...(args.includes('--from') ? ['--json'] : [])];
    expect(await machine.run(decide)).toMatchObject({ exitCode: 0 });
    const file = historyFile(machine, '.json');
    const { checksum: _checksum, ...record } = JSON.parse(readFileSync(file, 'utf8'));
    // As a process leaves it that is killed before it prints.
    writeFileSync(file, serializeWithChecksum({ ...record, reported: false }, 'file'));

    const again = await machine.run(decide);

    expect(again.exitCode, again.stderr).toBe(0);
    expect(again.stderr + again.stdout).toContain(record.id);
    expect(await machine.run(['resume'])).toMatchObject({ stderr: 'Nothing to resume.\n' });
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  },
);

test('an unexpected response is said once for a command, however many requests it sends', async () => {
  const drifted = { status: 'open', createdAt: 1 };
  await using server = await startFaultServer([
    answer(200, { record: drifted, evidence: [] }),
    answer(200, { record: { ...drifted, status: 'lost' }, evidence: [] }),
    answer(200, { record: drifted, evidence: [] }),
    answer(200, { ...drifted, status: 'won', resolution: 'Delivered.' }),
  ]);
  const machine = machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  const decide = ['disputes', 'decide', 'd-1', '--status', 'won', '--resolution', 'Delivered.'];
  writeFileSync(
    path.join(machine.folder, 'd.csv'),
    'disputeId,status,resolution\nd-1,won,Delivered.\nd-1x,lost,No.\n',
  );

  for (const args of [
    ['disputes', 'decide', '--from', 'd.csv', '--confirm', '2'],
    [...decide, '--confirm', 'd-1'],
  ]) {
    const { stderr } = await machine.run(args);
    const said = stderr.split('\n').filter((line) => line.includes('unexpected response'));
    expect(said.length, stderr).toBeGreaterThan(0);
    expect(new Set(said).size).toBe(said.length);
  }
});
