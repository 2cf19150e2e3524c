import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

test('of 200 decisions with 4 bad rows and a repeated one, 195 are recorded, and the results say which are not', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(197);
  await other.decide(ids[195] ?? '', 'lost', 'decided by somebody else');
  const rows = ids.slice(0, 196).map((id, index) => `${id},won,Delivered ${index}`);
  rows.splice(10, 0, `${nobody},won,Not there`);
  rows.splice(50, 0, `${ids[196]},,No status`);
  rows.splice(90, 0, 'only one cell');
  rows.splice(120, 0, `${ids[0]},won,Delivered 0`);
  writeFiles(machine, { 'decisions.csv': [header, ...rows].join('\n') });

  const result = await machine.run(typed`disputes decide --from decisions.csv --confirm 195 --json`);

  expect(result.exitCode).toBe(6);
  expect((await tables(service)).decisions.filter(({ status }) => status === 'won')).toHaveLength(195 + 1);
  const results = JSON.parse(result.stdout);
  expect(results).toHaveLength(200);
  expect(results.filter(({ outcome }: { outcome: string }) => outcome !== 'applied')).toMatchObject([
    { line: 12, outcome: 'failed', code: 'not_found', message: 'not found in this store' },
    { line: 52, outcome: 'failed', message: 'status is empty' },
    { line: 92, outcome: 'failed', message: 'expected 3 columns, found 1' },
    { line: 122, outcome: 'skipped', code: 'repeated', message: 'repeats line 2' },
    {
      line: 201,
      outcome: 'failed',
      code: 'unexpected_status',
      status: 'won',
      message: 'already decided as lost, which is final',
    },
  ]);
  expect(result.stderr).toContain(
    '"message":"195 decided, 4 failed, 1 skipped because another row says the same"',
  );
}, 120_000);

test('a row that repeats another is skipped: it is no failure, and the progress bar does not count it', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [id] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,ok\n${id}, WON ,ok\n` });

  const args = ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1'];
  const result = await machine.run(args, { isTerminal: true });

  expect(result).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^decided .*\nskipped +line 3 .* repeats line 2\s*$/m),
    stderr: expect.stringContaining(' Decided 1 dispute, 1 skipped because another row says the same\n'),
  });
  expect(result.stderr).toMatch(/ 1\/1 disputes(?! read)/);
  expect(result.stderr).not.toContain('/2 disputes');
  expect(proxy.writes()).toHaveLength(1);
});

test('a row of --output-file holds before, decision, after, who and when, also when it was decided earlier, and not the key', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,"Signed, ""for"" by\nthe buyer"\n` });

  const decide = typed`disputes decide --from decisions.csv --confirm 1 --output-file out.json`;
  const file = path.join(machine.folder, 'out.json');
  const rowOf = () => JSON.parse(readFileSync(file, 'utf8'))[0];

  const result = await machine.run(decide);

  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
  const resolution = 'Signed, "for" by\nthe buyer';
  const line = rowOf();
  const history = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(line).toMatchObject({
    outcome: 'applied',
    line: 2,
    disputeId: id,
    status: 'won',
    resolution,
    replacedStatus: 'open',
    request: { status: 'won', resolution },
    response: { id, status: 'won', resolution },
    profile: expect.any(String),
    storeId: service.storeId,
    requestId: expect.stringMatching(/./),
    operationId: history[0].id,
  });
  expect(readFileSync(file, 'utf8')).not.toContain(service.apiKey);
  const again = await machine.run(decide);
  expect(again).toMatchObject({ exitCode: 0, stdout: '' });
  expect(again.stderr).toMatch(/^main → store .*\n1 already decided with this status and resolution\.\n$/);
  expect(proxy.writes()).toHaveLength(1);
  expect(rowOf()).toEqual({ ...line, outcome: 'exists', message: 'decided by an earlier run' });
  expect(new Date(line.at).toISOString()).toBe(line.at);
});

test('a refusal of several lines is one line among the results', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [first] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${first},won,ok\n` });
  const errors = [{ path: 'resolution', message: 'is too short' }];
  const body = JSON.stringify({ code: 'validation_failed', message: 'Not valid.', errors });
  const headers = { 'content-type': 'application/problem+json' };
  proxy.decide(({ method }) => (method === 'POST' ? { status: 422, headers, body } : 'pass'));

  const sent = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);
  expect(sent.exitCode).toBe(7);
  expect(sent.stdout).toMatch(/^failed .* resolution: is too short \(422 validation_failed\)\n$/);
  expect(sent.stdout).not.toContain('\\u000a');
});

test('rows that could not be decided come last, where a person looks', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(3);
  const rows = [`${nobody},won,ok`, ...ids.map((id) => `${id},won,ok`), `${ids[0]},won,ok`];
  writeFiles(machine, { 'decisions.csv': [header, ...rows].join('\n') });

  const { stdout } = await machine.run(typed`disputes decide --from decisions.csv --confirm 3`);

  expect(stdout).toMatch(
    /^(decided +line \d .*\n){3}failed +line 2 .* not found in this store\nskipped +line 6 .* repeats line 3\n$/,
  );
});

test('--fields chooses from the results, and --output-file holds all of them', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id = ''] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${id},won,ok\nx,,\n` });
  const args = typed`disputes decide --from decisions.csv --confirm 1 --output-file out.json`;

  const result = await machine.run([...args, '--fields', 'line,outcome']);

  expect(JSON.parse(result.stdout)).toEqual([
    { line: 2, outcome: 'applied' },
    { line: 3, outcome: 'failed' },
  ]);
  const written = JSON.parse(readFileSync(path.join(machine.folder, 'out.json'), 'utf8'));
  expect(written).toMatchObject([{ disputeId: id, outcome: 'applied' }, { outcome: 'failed' }]);
});
