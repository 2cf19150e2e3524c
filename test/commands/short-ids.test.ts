import { describe, expect, test } from 'vitest';
import { idsBeginningWith, shortenId } from '../../src/cli/command/short-id.ts';
import { otherUser } from '../helpers/bulk.ts';
import { newMachine } from '../helpers/cli.ts';
import { answer } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';
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
  const { machine } = await setScene({ answers: [backup(one, 'first'), backup(two, 'nightly')] });
  for (const label of ['first', 'nightly'])
    await machine.run(['backup', 'create', '--label', label, '--sections', 'store']);

  const refused = await machine.run(['backup', 'restore', '01a20294', '--sections', 'store', '--dry-run']);
  const listed = await machine.run(['history', 'list', '--limit', '1'], { columns: 60 });

  expect(listed.stdout).toMatch(/nightly .* 01a20294-7a$/m);
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      '"01a20294" matches 2 backups: 01a20294-7a [nightly (store), just now], 01a20294-76 [first (store), just now]',
    ),
  });
});

test('commands take the beginning of an id that this machine knows, in --confirm too', async () => {
  const { machine } = await setScene();
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
  const wrong = { exitCode: 2, stderr: expect.stringContaining('wrong_confirmation') };
  if (made[1]?.startsWith(shared)) {
    const matches = { exitCode: 2, stderr: expect.stringContaining('matches 2 backups') };
    expect(await machine.run([...restore, shared, '--confirm', shared])).toMatchObject(matches);
    expect(await machine.run([...restore, id, '--confirm', shared])).toMatchObject(wrong);
  }
  const other = shortenId(made[1] ?? '', made);
  expect(await machine.run([...restore, id, '--confirm', other])).toMatchObject(wrong);
  // A whole id is sent, whether this machine knows it or not.
  const unknown = '5F0CBEAD-0000-4000-8000-000000000009';
  expect(await machine.run([...restore, unknown, '--confirm', unknown])).toMatchObject({ exitCode: 5 });
});

test('backup restore refuses a label, and takes no safety backup', async () => {
  const { machine } = await setScene();
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'];
  const id = (await machine.run(create)).stdout.trim();

  for (const more of [['--dry-run'], ['--confirm', 'x']]) {
    const restore = (given: string) =>
      machine.run(['backup', 'restore', given, '--sections', 'store', ...more]);
    expect(await restore('nightly')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('run `storectl backup list` to see the ids'),
    });
  }
  expect((await machine.run(['backup', 'list', '-q'])).stdout).toBe(`${id}\n`);
});

const tooShort = ['"5f0c" is too short for the id of a', 'use at least its first 8 characters'];
const beginning = '5f0cbead-0000-4000-8000-00000000000';
const unknown = [`"${beginning}" is not the whole id of a`, 'use the whole id\n  run'];

test.each([
  [['disputes', 'show', '5f0c'], tooShort],
  [['disputes', 'decide', '5f0c', '--status', 'won', '--resolution', 'r', '--confirm', '5f0c'], tooShort],
  [['backup', 'restore', '5f0c', '--sections', 'store', '--confirm', '5f0c'], tooShort],
  [['notify', 'mark-read', '5f0c'], tooShort],
  [['disputes', 'show', beginning], unknown],
  [['backup', 'restore', beginning, '--sections', 'store', '--confirm', beginning], unknown],
])('an id that is neither whole nor known is refused before anything is sent: %j', async (args, texts) => {
  const { server, machine } = await setScene({ answers: [] });

  const refused = await machine.run(args);

  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  for (const text of texts) expect(refused.stderr).toContain(text);
  expect(server.requests).toEqual([]);
});

test('an id whose form the contract does not say is sent as it is', async () => {
  const { server, machine } = await setScene({ answers: [answer(200, {})] });

  await machine.run(typed`notify mark-read notice-1`);

  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ids: ['notice-1'] });
});

test('a dispute that was read is shown and decided by its beginning; the answer has the whole id', async () => {
  const { service, machine } = await setScene();
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
    stderr: expect.stringContaining('and the service accepts it only once'),
  });
});

test('notify mark-read takes the beginning of a notification that the inbox has shown', async () => {
  const machine = newMachine();
  const { stdout } = await machine.run(['--demo', 'notify', 'inbox', '-q']);
  const known = stdout.trim().split('\n');
  const [id = ''] = known;

  const sent = await machine.run(typed`--demo notify mark-read ${shortenId(id, known)} --dry-run --json`);

  expect(JSON.parse(sent.stdout).body).toEqual({ ids: [id] });
});
