import { describe, expect, test } from 'vitest';
import { idsBeginningWith, shortenId } from '../../src/cli/command/short-id.ts';
import { otherUser } from '../helpers/bulk.ts';
import { newMachine } from '../helpers/cli.ts';
import { answer } from '../helpers/fault-server.ts';
import { fakeService, startStore } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

const ids = [
  '01a20294-76ec-77ee-ad28-9e8643048656',
  '01a20294-7aaf-7660-acc5-6620deb627d2',
  '01a20294-8ba2-7b06-95d8-216ab8089ad5',
  'ffa20294-76ec-77ee-ad28-9e8643048656',
  'dispute-1',
];

describe('an id may be abbreviated', () => {
  test.each([
    [ids[0], '01a20294-76'],
    [ids[1], '01a20294-7a'],
    [ids[2], '01a20294-8'],
    [ids[3], 'ffa20294'],
    [ids[4], 'dispute-1'],
  ])('%s to %s', (id = '', short) => {
    expect(shortenId(id, ids)).toBe(short);
    expect(idsBeginningWith(short, ids)).toEqual([id]);
  });

  test('to 8 characters or more', () => {
    expect(idsBeginningWith('ffa2029', ids)).toEqual([]);
    expect(idsBeginningWith('aaaaaaaa', ids)).toEqual([]);
    expect(idsBeginningWith('01a20294-7', ids)).toEqual([ids[0], ids[1]]);
  });
});

test('an ambiguous beginning of an id is refused with what it may stand for', async () => {
  const [one, two] = ids;
  const backup = (id: string | undefined, label: string) => answer(201, { id, label, sections: ['store'] });
  const { machine } = await fakeService(backup(one, 'first'), backup(two, 'nightly'));
  for (const label of ['first', 'nightly'])
    await machine.run(['backup', 'create', '--label', label, '--sections', 'store']);

  const refused = await machine.run(['backup', 'restore', '01a20294', '--sections', 'store', '--dry-run']);

  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      '"01a20294" matches 2 backups: 01a20294-7a [nightly (store), just now], 01a20294-76 [first (store), just now]',
    ),
  });
});

test('commands take the beginning of an id that this machine knows, in --confirm too', async () => {
  const { machine } = await startStore();
  const make = async (label: string) =>
    (await machine.run(['backup', 'create', '--label', label, '--sections', 'store', '-q'])).stdout.trim();
  const made = [await make('one'), await make('two')];
  const [id = ''] = made;
  const restore = ['backup', 'restore', '--sections', 'store', '--no-safety-backup', '--json'];

  const short = shortenId(id, made);
  expect(await machine.run([...restore, short, '--confirm', short])).toMatchObject({ exitCode: 0 });
  expect(await machine.run([...restore, id, '--confirm', short])).toMatchObject({ exitCode: 0 });
  // Two backups of one second share their first characters.
  const shared = id.slice(0, 8);
  const ambiguous = { exitCode: 2, stderr: expect.stringContaining('matches 2 backups') };
  if (made[1]?.startsWith(shared)) {
    expect(await machine.run([...restore, shared, '--confirm', shared])).toMatchObject(ambiguous);
    expect(await machine.run([...restore, id, '--confirm', shared])).toMatchObject(ambiguous);
  }
  const other = shortenId(made[1] ?? '', made);
  expect(await machine.run([...restore, id, '--confirm', other])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('wrong_confirmation'),
  });
  // What this machine does not know is sent as it is.
  expect(await machine.run(['disputes', 'show', 'aaaaaaaa'])).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('aaaaaaaa'),
  });
  expect(await machine.run([...restore, 'aaaaaaaa', '--confirm', 'aaaaaaaa'])).toMatchObject({ exitCode: 5 });
});

test('backup restore refuses a label, and takes no safety backup', async () => {
  const { machine } = await startStore();
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'];
  const id = (await machine.run(create)).stdout.trim();

  for (const more of [['--dry-run'], ['--confirm', 'x']]) {
    const restore = (given: string) =>
      machine.run(['backup', 'restore', given, '--sections', 'store', ...more]);
    expect(await restore('nightly')).toMatchObject({
      exitCode: 2,
      stderr: `error: "nightly" is the label of a backup, not an id\n  use the id: ${id}\n`,
    });
  }
  expect((await machine.run(['backup', 'list', '-q'])).stdout).toBe(`${id}\n`);
});

test.each([
  ['disputes', 'show', '5f0c'],
  ['disputes', 'decide', '5f0c', '--status', 'won', '--resolution', 'r', '--confirm', '5f0c'],
  ['backup', 'restore', '5f0c', '--sections', 'store', '--confirm', '5f0c'],
  ['notify', 'mark-read', '5f0c'],
])('an id that is neither whole nor known is refused before anything is sent: %s %s', async (...args) => {
  const { server, machine } = await fakeService();

  const refused = await machine.run(args);

  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('"5f0c" is too short for the id of a');
  expect(refused.stderr).toContain('use at least its first 8 characters');
  expect(server.requests).toEqual([]);
});

test('a dispute that was read is shown and decided by its beginning; the answer has the whole id', async () => {
  const { service, machine } = await startStore();
  const [id = ''] = await otherUser(service).openDisputes(1);
  await machine.run(['disputes', 'show', id]);
  const short = id.slice(0, 8);

  expect((await machine.run(['disputes', 'show', short, '-q'])).stdout).toBe(`${id}\n`);
  const decision = ['--status', 'won', '--resolution', 'Delivered', '--confirm', short];
  expect((await machine.run(['disputes', 'decide', short, ...decision, '-q'])).stdout).toBe(`${id}\n`);
  const appeal = ['reclaim', 'appeal', service.example.reclaims[0]?.id ?? '', '--text', 'Open'];
  expect(await machine.run([...appeal, '--confirm', appeal[2] ?? ''])).toMatchObject({ exitCode: 0 });
  const second = await machine.run(['reclaim', 'appeal', '01986448', '--text', 'x', '--confirm', '01986448']);
  expect(second).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('and the service takes it once'),
  });
});

test('notify mark-read takes the beginning of a notification that the demo store has', async () => {
  const machine = newMachine();
  const { stdout } = await machine.run(['--demo', 'demo', 'info', '--json']);
  const notifications: { id: string }[] = JSON.parse(stdout).notifications;
  const known = notifications.map(({ id }) => id);
  const [id = ''] = known;

  const sent = await machine.run(typed`--demo notify mark-read ${shortenId(id, known)} --dry-run --json`);

  expect(JSON.parse(sent.stdout).body).toEqual({ ids: [id] });
});
