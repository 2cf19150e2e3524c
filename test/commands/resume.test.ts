import { expect, test } from 'vitest';
import { writeFiles } from '../helpers/bulk.ts';
import { type Scene, setScene } from '../helpers/scene.ts';
import { seedChange } from '../helpers/seed-history.ts';
import { typed } from '../helpers/typed.ts';

/** Runs a command whose response, or request, is lost. */
async function lose(
  { proxy, machine }: Pick<Scene, 'proxy' | 'machine'>,
  args: readonly string[],
  how: 'lose' | 'drop' = 'lose',
) {
  proxy.decide(({ method }) => (method === 'GET' ? 'pass' : how));
  const result = await machine.run([...args, '--timeout', '0.3']);
  proxy.decide(() => 'pass');
  return result;
}

async function newestId({ machine }: Pick<Scene, 'machine'>): Promise<string> {
  return JSON.parse((await machine.run(['history', 'list', '--json'])).stdout)[0].id;
}

const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];
const update = ['store', 'update', '--name', 'Outlet'];
const endpoint = typed`notify add-endpoint --name Team --events feedback_digest
  --url https://discord.com/api/webhooks/4711/a-token`;

test('what is settled and what is still open is said, and what to do about the rest', async () => {
  const { proxy, machine } = await setScene({ hides: 'of both' });
  await lose({ proxy, machine }, backup);
  await lose({ proxy, machine }, endpoint);

  const resumed = await machine.run(['resume']);

  expect(resumed).toMatchObject({
    exitCode: 10,
    stdout: expect.stringMatching(
      /^applied +\S+ +backup\.create +nightly .*\nin doubt +\S+ +notify\.add-endpoint/,
    ),
  });
  expect(resumed.stderr).toContain('error: 1 applied, 1 in doubt\n');
  expect(resumed.stderr).toMatch(/look at the store\n {2}run `storectl resume \S+ --mark applied`/);
});

test('a change that was settled before is not sent again', async () => {
  const { proxy, machine } = await setScene();
  await machine.run([...backup, '--json']);
  const sent = proxy.requests.length;

  const resumed = await machine.run(['resume', await newestId({ machine }), '--json']);

  expect(resumed.exitCode).toBe(0);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ state: 'applied', message: 'applied' });
  expect(proxy.requests).toHaveLength(sent);
});

test('--dry-run says what would be done about each change, and sends nothing', async () => {
  const { proxy, machine } = await setScene();
  await lose({ proxy, machine }, backup);
  await lose({ proxy, machine }, endpoint);
  const sent = proxy.requests.length;

  const dry = await machine.run(['resume', '--dry-run', '--json']);

  expect(dry.exitCode).toBe(0);
  expect(JSON.parse(dry.stdout)).toMatchObject([
    { operation: 'backup.create', plan: 'send' },
    { operation: 'notify.add-endpoint', plan: 'ask_service' },
  ]);
  expect(proxy.requests).toHaveLength(sent);
  expect((await machine.run(['resume', JSON.parse(dry.stdout)[0].id])).exitCode).toBe(0);
});

test('a restore is resumed by its id only, after a new safety backup', async () => {
  const { proxy, machine } = await setScene();
  const backupId = (await machine.run([...backup, '-q'])).stdout.trim();
  const restore = ['backup', 'restore', backupId, '--sections', 'store', '--confirm', backupId];
  await lose({ proxy, machine }, [...restore, '--no-safety-backup']);
  const sent = proxy.writes().length;

  const all = await machine.run(['resume', '--json']);
  expect(all.exitCode).toBe(10);
  const [{ id, reason }] = JSON.parse(all.stdout);
  expect(reason).toBe('needs_yes');
  expect(all.stderr).toContain(`storectl resume ${id}`);
  expect(proxy.writes()).toHaveLength(sent);

  const one = await machine.run(['resume', id]);
  expect(one).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`Undo: storectl undo ${id}`) });
  const paths = proxy
    .writes()
    .slice(sent)
    .map(({ path }) => path.split('/').at(-1));
  expect(paths).toEqual(['backups', 'restore']);
});

test.each([
  ['a store update', { operation: 'store.update', body: { name: 'Outlet' } }],
  ['a backup', { operation: 'backup.create', body: { label: 'old', sections: ['store'] } }],
  [
    'a restore',
    {
      operation: 'backup.restore',
      parameters: { backupId: 'b-1' },
      body: { sections: ['store'], idempotencyKey: 'of-that-day' },
    },
  ],
])('%s that was sent more than 20 hours ago stays in doubt without a terminal', async (_, sent) => {
  const { proxy, machine, access } = await setScene();
  const { id } = await seedChange(machine, access, { ...sent, state: 'unknown', hoursAgo: 21 });

  for (const args of [['resume'], ['resume', id]]) {
    const left = await machine.run([...args, '--json']);
    expect(left).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('in a terminal, which asks'),
    });
    expect([JSON.parse(left.stdout)].flat()).toMatchObject([
      { reason: 'too_old', message: expect.stringContaining('more than 20 hours ago'), state: 'unknown' },
    ]);
  }
  expect(proxy.requests).toEqual([]);
});

test('--mark with the id of a run marks all its changes in doubt', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': '# A\n\nText', 'b.md': '# B\n\nText' });
  await lose({ proxy, machine }, ['blog', 'create', 'a.md', 'b.md']);
  const records = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const [run = ''] = records[0].id.split('.');

  const marked = await machine.run(['resume', run, '--mark', 'not-applied']);
  const again = await machine.run(['resume', run, '--mark', 'applied']);

  expect(marked).toMatchObject({ exitCode: 0, stderr: `✓ Marked 2 changes of ${run} as not-applied\n` });
  expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('already settled') });
  expect((await machine.run(['resume'])).stderr).toMatch(/^Nothing to resume\./);
});

test('what is open for another store is counted, and the command for it is named', async () => {
  const { service, proxy, machine } = await setScene();
  await lose({ proxy, machine }, update);
  const there = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout)[0];

  const elsewhere = await machine.run(['resume'], { env: { STORECTL_BASE_URL: service.origin } });

  expect(elsewhere).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to resume.') });
  expect(elsewhere.stderr).toContain(`1 change of store ${service.storeId} @ ${there.baseUrl} is open`);
  expect(elsewhere.stderr).toMatch(/storectl .*--base-url \S+ resume/);
});

test('changes that only the user can settle do not keep resume from the others', async () => {
  const { proxy, machine } = await setScene();
  for (const path of ['a', 'b', 'c'])
    await lose({ proxy, machine }, ['api', 'POST', `/v1/${path}`, '-f', 'x=1']);
  await lose({ proxy, machine }, backup);

  const { exitCode, stdout } = await machine.run(['resume', '--json']);

  expect(exitCode).toBe(10);
  expect(JSON.parse(stdout).map(({ state }: { state: string }) => state)).toEqual([
    ...['unknown', 'unknown', 'unknown'],
    'applied',
  ]);
});

test('a service that does not answer stops it, and the error says how to see what is in doubt', async () => {
  const { proxy, machine } = await setScene();
  for (const name of ['a', 'b', 'c', 'd'])
    await lose({ proxy, machine }, ['store', 'update', '--set', `${name}=1`]);
  proxy.decide(({ method }) => (method === 'GET' ? 'pass' : 'lose'));

  const { exitCode, stderr } = await machine.run(['resume', '--timeout', '0.3']);

  expect(exitCode).toBe(10);
  expect(stderr).toMatch(/^error: stopped \(3 in doubt, 1 not sent\): the connection was lost .*\)\n/m);
  expect(stderr).not.toMatch(/\([a-z0-9]{6}\)$/m);
  expect(stderr).toContain('\n  run `storectl history list --state open` to see what is in doubt');
});
