import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const header = 'disputeId,status,resolution';
const nobody = '00000000-0000-4000-8000-000000000000';

test('rows that cannot be decided come first in the plan, with their whole id', async () => {
  const { service, machine } = await setScene();
  const other = otherUser(service);
  const [id] = await other.openDisputes(1);
  writeFiles(machine, { 'decisions.csv': `${header}\n${nobody},won,ok\n${id},won,ok\n` });

  const plan = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run']);
  const result = await machine.run(['disputes', 'decide', '--from', 'decisions.csv']);

  expect(plan.stdout).toMatch(
    new RegExp(`^line 2  ${nobody}  won\\n  not found in this store\\n\\nLINE .*\\n3 +${id} +won +ok\\n$`),
  );
  expect(result.stderr).toContain(
    '--confirm 1 is required (to record 1 decision; decisions are final; --dry-run shows them)',
  );
});

test('nothing is decided before the number is confirmed, and exit 3 names it', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const ids = await other.openDisputes(2);
  writeFiles(machine, { 'decisions.csv': [header, ...ids.map((id) => `${id},won,ok`)].join('\r\n') });
  const from = ['disputes', 'decide', '--from', 'decisions.csv'];

  const unconfirmed = await machine.run(from);

  expect(unconfirmed).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('--confirm 2') });
  expect((await machine.run([...from, '--confirm', '3'])).exitCode).toBe(2);
  expect(proxy.writes()).toEqual([]);
  expect((await tables(service)).decisions).toHaveLength(1);
});

test('--dry-run prints the plan and writes nothing', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [open, decided] = await other.openDisputes(2);
  await other.decide(decided ?? '', 'won', 'ok');
  writeFiles(machine, { 'decisions.csv': `${header}\n${open},won,ok\n${decided},won,ok\n` });

  const shown = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run']);
  const one = ['disputes', 'decide', String(open), '--status', 'won', '--resolution', 'ok', '--dry-run'];
  const alone = await machine.run(one);
  const json = await machine.run(['disputes', 'decide', '--from', 'decisions.csv', '--dry-run', '--json']);

  expect(shown).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(String(open)),
    stderr: expect.stringContaining(
      '1 dispute to decide (won), 1 already decided with this status and resolution\n',
    ),
  });
  const note =
    /dry run: nothing was sent\nWithout --dry-run, each dispute is read .* decided only if it is open\.\n$/;
  expect([shown.stderr, alone.stderr]).toEqual([expect.stringMatching(note), expect.stringMatching(note)]);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { plan: 'decide', status: 'won', resolution: 'ok' },
    { plan: 'exists', status: 'won', resolution: 'ok' },
  ]);
  expect(proxy.writes()).toEqual([]);
});

test('a status that is nearly a usual one is refused, another is sent: in a file and alone', async () => {
  const { service, proxy, machine } = await setScene();
  const other = otherUser(service);
  const [first = '', second = '', third = ''] = await other.openDisputes(3);
  const text = `${header}\n${first},Won,ok\n${second},banana,ok\n${third},withdrwan,ok\n`;
  writeFiles(machine, { 'decisions.csv': text });
  const args = ['disputes', 'decide', '--from', 'decisions.csv'];
  const alone = (status: string) =>
    machine.run(['disputes', 'decide', third, '--status', status, '--resolution', 'ok', '--confirm', third]);

  expect(JSON.parse((await machine.run([...args, '--dry-run', '--json'])).stdout)).toMatchObject([
    { plan: 'decide', status: 'won' },
    { plan: 'decide', status: 'banana' },
    { plan: 'failed', message: '"withdrwan" looks mistyped (did you mean withdrawn?)' },
  ]);
  expect(await alone('withdrwan')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--status "withdrwan" looks mistyped (did you mean withdrawn?)'),
  });
  expect(proxy.writes()).toEqual([]);

  const sent = await machine.run([...args, '--confirm', '2']);
  expect(sent.exitCode).toBe(7);
  expect(sent.stderr).toMatch(/\(1 won, 1 banana\), 1 cannot be decided\nWarning: line 3: "banana" is not /);
  const warned = expect.stringContaining('Warning: "banana" is not won, lost or withdrawn; ');
  expect(await alone('banana')).toMatchObject({ exitCode: 7, stderr: warned });
  expect(await alone('LOST')).toMatchObject({ exitCode: 0 });
  expect(proxy.writes().map(({ body }) => JSON.parse(body).status)).toEqual([
    ...['won', 'banana'],
    ...['banana', 'lost'],
  ]);
});

test('several ids without a terminal: exit 3, nothing is sent', async () => {
  const { proxy, machine } = await setScene();

  const result = await machine.run(typed`disputes decide first-dispute-1 second-dispute-2 --json`);

  expect(result).toMatchObject({ exitCode: 3, stdout: '' });
  const { error } = JSON.parse(result.stderr.trim());
  expect(error.message).toBe('--from FILE is required (CSV with status and resolution for each disputeId)');
  expect(error.hint).toContain('or run the command in a terminal');
  expect(proxy.requests).toEqual([]);
});
