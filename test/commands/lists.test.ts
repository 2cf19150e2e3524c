import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { completeIds } from '../../src/cli/completion/ids.ts';
import { otherUser } from '../helpers/bulk.ts';
import { accessTo } from '../helpers/cli.ts';
import { answer } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';

const lists = [
  ['backup', 'list'],
  ['disputes', 'list'],
  ['blog', 'list'],
  ['notify', 'list'],
  ['notify', 'inbox'],
  ['reclaim', 'list'],
] as const;

/** A service of the twelve operations, like those that only have the contract. */
const withoutReads = () => setScene({ answers: [answer(404, { code: 'not_found' })], hasReads: true });

const idsIn = (stdout: string) => stdout.split('\n').filter(Boolean).sort();

test('a second machine with nothing but a key sees what others have made', async () => {
  const { machine, anotherMachine } = await setScene();
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'];
  const id = (await machine.run(create)).stdout.trim();
  const laptop = anotherMachine();

  const backups = await laptop.run(['backup', 'list']);
  expect(backups).toMatchObject({ exitCode: 0, stderr: '' });
  expect(backups.stdout).toMatch(new RegExp(`^ID +LABEL +SECTIONS +AGE\\n${id} +nightly +store +now\\n$`));
  const restore = ['backup', 'restore', id.slice(0, 13), '--sections', 'store', '--confirm', id];
  expect(await laptop.run(restore)).toMatchObject({ exitCode: 0 });

  const open = JSON.parse((await laptop.run(['disputes', 'list', '--status', 'open', '--json'])).stdout);
  expect(open).toMatchObject([{ status: 'open', providerCaseId: 'PP-D-118301' }]);
  const [{ providerCaseId, orderId }] = open;
  for (const filter of [
    ['--provider-case-id', providerCaseId],
    ['--order-id', orderId],
    ['--order-id', orderId.toUpperCase()],
  ])
    expect((await laptop.run(['disputes', 'list', ...filter, '-q'])).stdout.trim()).toBe(open[0].id);
  const store = await laptop.run(['store', 'show', '--fields', 'name,settings.cashbackBp']);
  expect(JSON.parse(store.stdout)).toEqual({ name: 'Juniper & Ink', settings: { cashbackBp: 200 } });
});

test('each list shows what the store has, in the words of its noun', async () => {
  const { service, machine } = await setScene();
  const list = async (...args: string[]) => (await machine.run(args)).stdout.trimEnd().split('\n');

  expect((await list('disputes', 'list'))[0]).toMatch(/^ID +REASON +STATUS +DEADLINE +BUYER +CASE +AGE$/);
  expect((await list('blog', 'list'))[0]).toMatch(/^ID +TITLE +STATUS +PUBLISHED +AGE$/);
  expect((await list('notify', 'list'))[1]).toMatch(/ Workshop channel +discord +feedback_digest, /);
  expect((await list('notify', 'inbox'))[0]).toMatch(/^ID +TITLE +EVENT +READ +AGE$/);
  // All of them are unread, so a column would say nothing.
  expect((await list('notify', 'inbox', '--unread'))[0]).toMatch(/^ID +TITLE +EVENT +AGE$/);
  expect((await list('reclaim', 'list'))[1]).toMatch(
    new RegExp(`^${service.example.reclaims[0]?.id} +juniper-ink +noticed +The name resembles`),
  );
  expect(await machine.run(['blog', 'list', '--slug', 'no-such-post'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'No posts match.\n',
  });
});

test('--seen has what the service listed, filter by filter', async () => {
  const { machine } = await setScene();
  const unread = ['notify', 'inbox', '--unread', '-q'];
  const [newest = ''] = (await machine.run(unread)).stdout.split('\n');
  await machine.run(['notify', 'mark-read', newest]);
  for (const list of lists) await machine.run(list);
  const [{ orderId, providerCaseId }] = JSON.parse(
    (await machine.run(['disputes', 'list', '--status', 'open', '--json'])).stdout,
  );
  const [{ slug }] = JSON.parse((await machine.run(['blog', 'list', '--json'])).stdout);

  expect(idsIn((await machine.run(unread)).stdout)).not.toContain(newest);
  for (const args of [
    unread,
    ['disputes', 'list', '--status', 'open', '-q'],
    ['disputes', 'list', '--order-id', orderId, '-q'],
    ['disputes', 'list', '--provider-case-id', providerCaseId, '-q'],
    ['blog', 'list', '--slug', slug, '-q'],
  ]) {
    const listed = idsIn((await machine.run(args)).stdout);
    expect(listed.length).toBeGreaterThan(0);
    expect(idsIn((await machine.run([...args, '--seen'])).stdout), args.join(' ')).toEqual(listed);
  }
});

test('an object is shown with its content, and a backup with what restoring it would change', async () => {
  const { machine } = await setScene();
  const post = ['blog', 'create', '--title', 'Ink', '--content-md', '# Black\n\nand blue', '-q'];
  const id = (await machine.run(post)).stdout.trim();
  const shown = (await machine.run(['blog', 'show', id.slice(0, 13)])).stdout;
  expect(shown).toMatch(/^ID +\S+\nTitle +Ink\n/);
  expect(shown).toMatch(/\n\n# Black\n\nand blue\n$/);

  const create = ['backup', 'create', '--label', 'a', '--sections', 'store,blog', '-q'];
  const backup = (await machine.run(create)).stdout.trim();
  await machine.run(['store', 'update', '--name', 'Outlet']);
  await machine.run(['blog', 'create', '--title', 'Later', '--content-md', 'x']);
  const changes = ['Name   Outlet → Juniper & Ink', 'Posts  1 removed'];
  const { stdout } = await machine.run(['backup', 'show', backup]);
  expect(stdout.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(changes));
  const restore = ['backup', 'restore', backup, '--sections', 'store,blog', '--confirm', backup];
  const { stderr } = await machine.run(restore);
  expect(stderr.split('\n')).toEqual(expect.arrayContaining(changes));
});

test('a restore of a backup that the store does not have is refused before anything is sent', async () => {
  const { machine, proxy } = await setScene();
  const id = '01a20294-76ec-77ee-ad28-9e8643048656';

  const restored = await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  expect(restored).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(`backup ${id} not found`) });
  expect(proxy.writes()).toEqual([]);
  expect((await machine.run(['backup', 'list', '--json'])).stdout).toBe('[]\n');
  expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
});

test.each([
  ['store,blog', true],
  ['store', false],
])(
  'where the service cannot say what a restore of %s changes, it says whether posts go: %s',
  async (sections, removesPosts) => {
    const id = '01a20294-76ec-77ee-ad28-9e8643048656';
    const answers = [answer(201, { id, label: 'x' }), answer(201, { id: 'restore', backupId: id })];
    const { machine } = await setScene({ answers });
    const { stderr } = await machine.run(['backup', 'restore', id, '--sections', sections, '--confirm', id]);
    expect(stderr).toMatch(/^This replaces the .* of store /m);
    expect(stderr.includes('Posts made since then are removed.')).toBe(removesPosts);
    expect(stderr).not.toMatch(/^ *Posts /m);
  },
);

test('lists print fields, ids and pages for scripts', async () => {
  const { machine } = await setScene();

  expect(JSON.parse((await machine.run(['blog', 'list', '--fields', 'slug'])).stdout)).toEqual([
    { slug: 'autumn-paper-sampler' },
    { slug: 'how-we-mix-iron-gall-ink' },
  ]);
  const unknown = await machine.run(['blog', 'list', '--fields', 'slgu']);
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean slug?') });
  expect(await machine.run(['blog', 'list', '--limit', '0'])).toMatchObject({ exitCode: 2 });
  expect(await machine.run(['disputes', 'list', '--order-id', 'x'])).toMatchObject({ exitCode: 2 });
  const page = async (...args: string[]) =>
    JSON.parse((await machine.run(['blog', 'list', '--json', '--page', '--limit', '1', ...args])).stdout);
  const first = await page();
  expect(first).toMatchObject({ items: [{ slug: 'autumn-paper-sampler' }], next: expect.any(String) });
  expect(await page('--after', first.next)).toEqual({
    items: [expect.objectContaining({ slug: 'how-we-mix-iron-gall-ink' })],
  });
});

test('people are shown 50 rows of a list, and scripts all of them', async () => {
  const { machine } = await setScene();
  const names = Array.from({ length: 103 }, (_, index) => `post-${index}.md`);
  for (const name of names) writeFileSync(path.join(machine.folder, name), `# ${name}\n\nText\n`);
  await machine.run(['blog', 'create', ...names]);

  const shown = await machine.run(['blog', 'list'], { columns: 100 });
  expect(shown.stdout.trimEnd().split('\n')).toHaveLength(51);
  expect(shown.stderr).toBe('Showing the first 50. Use --limit N to see more.\n');
  for (const args of [[], ['-q']])
    expect(
      (await machine.run(['blog', 'list', ...args])).stdout.trimEnd().split('\n').length,
    ).toBeGreaterThan(104);
  expect(JSON.parse((await machine.run(['blog', 'list', '--json'])).stdout)).toHaveLength(105);
});

describe('a service that cannot be asked', () => {
  test.each(lists)(
    '%s %s: an error in a script says so, and --seen lists what was seen',
    async (...words) => {
      const { machine } = await withoutReads();

      expect(await machine.run([...words])).toMatchObject({
        exitCode: 7,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: this service cannot list .+\n {2}add --seen to list what this machine has seen\n$/,
        ),
      });
      const { stderr } = await machine.run([...words, '--json']);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'cannot_list', outcome: 'not_sent' } });
      expect(await machine.run([...words, '--seen', '--json'])).toMatchObject({
        exitCode: 0,
        stdout: '[]\n',
      });
    },
  );

  test.each([
    ['a status of another service', answer(404)],
    ['a login page', answer(200, '<html>', { 'content-type': 'text/html' })],
    ['a refusal of the gateway', answer(403, 'Forbidden')],
    ['a success of another shape', answer(200, { data: [] })],
  ])('is recognized by %s', async (_what, said) => {
    const { machine } = await setScene({ answers: [said], hasReads: true });
    expect(await machine.run(['backup', 'list', '--json'])).toMatchObject({ exitCode: 7 });
  });

  test.each([
    ['a wrong key', answer(401), 4],
    ['a limit', answer(403, '', { 'retry-after': '900' }), 8],
    ['a scope that the key lacks', answer(403, {}, { 'service-features': 'reads' }), 4],
  ])('is not %s', async (_what, said, exitCode) => {
    const { machine } = await setScene({ answers: [said], hasReads: true });
    expect(await machine.run(['backup', 'list', '--json', '--timeout', '5'])).toMatchObject({ exitCode });
  });

  test('a terminal is shown what this machine has seen', async () => {
    const id = '01a20294-76ec-77ee-ad28-9e8643048656';
    const made = { id, version: 1, label: 'nightly', sections: ['store'], createdAt: '2026-11-01T00:00:00Z' };
    const { machine } = await setScene({ answers: [answer(201, made), answer(404)], hasReads: true });
    await machine.run(['backup', 'create', '--label', 'nightly', '--sections', 'store']);

    const shown = await machine.run(['backup', 'list'], { columns: 200, env: { NO_COLOR: '1' } });

    expect(shown.stderr).toContain(
      'This service cannot list backups. This machine has seen these; there may be others, and a restore may have removed some.',
    );
    expect(shown.stdout).toMatch(new RegExp(`^ID +LABEL +SECTIONS +SEEN\\n${id} +nightly +store +now\\n$`));
    const seen = JSON.parse((await machine.run(['backup', 'list', '--seen', '--json'])).stdout);
    expect(seen).toMatchObject([{ id, label: 'nightly', seenAt: expect.stringMatching(/Z$/) }]);
    expect(await machine.run(['backup', 'show', id])).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('this service cannot show backups'),
    });
    expect((await machine.run(['backup', 'show', id, '--seen'])).stdout).toMatch(/\nLabel +nightly\n/);
  });

  test('a filter that a service does not know is applied here', async () => {
    const items = ['open', 'won'].map((status, index) => ({ id: `0${index}`, status }));
    const { machine } = await setScene({ answers: [answer(200, { items })], hasReads: true });
    expect((await machine.run(['disputes', 'list', '--status', 'open', '-q'])).stdout).toBe('00\n');
  });

  test('so is one whose field has another name, or is left out where it has no value', async () => {
    const items = [
      { id: '00', read: false },
      { id: '01', read: true },
      { id: '02', read: false, orderId: null },
      { id: '03', read: true, orderId: '5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3a7' },
    ];
    const { machine } = await setScene({ answers: [answer(200, { items })], hasReads: true });
    expect((await machine.run(['notify', 'inbox', '--unread', '-q'])).stdout).toBe('00\n02\n');
    const order = ['disputes', 'list', '--order-id', '5E0C7A52-3D1B-4C8E-9F4A-2B6D8E10C3A7', '-q'];
    expect((await machine.run(order)).stdout).toBe('03\n');
    expect((await machine.run([...order, '--seen'])).stdout).toBe('03\n');
    expect((await machine.run(['notify', 'inbox', '--unread', '--seen', '-q'])).stdout).toBe('00\n02\n');
  });

  test('a filter with a few values names them, and refuses others before anything is sent', async () => {
    const { machine, server } = await setScene({ answers: [answer(200, { items: [] })], hasReads: true });
    const statuses = 'open, won, lost, withdrawn';
    expect((await machine.run(['disputes', 'list', '--help'])).stdout).toContain(
      `--status <STATUS>          Only disputes with this status: ${statuses}`,
    );
    const { exitCode, stderr } = await machine.run(['disputes', 'list', '--status', 'closed']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--status must be one of ${statuses} (got "closed")`);
    expect(server.requests).toEqual([]);
    expect((await machine.run(['disputes', 'list', '--status', 'Won'])).stderr).toBe('No disputes match.\n');
    expect(server.requests.map(({ path: url }) => url)).toEqual([expect.stringContaining('status=won')]);
  });

  test.each([
    ['a page that leads to itself', [answer(200, { items: [{ id: 'a' }], next: 'n' })]],
    [
      'pages that lead back',
      ['m', 'n', 'm', 'n', undefined].map((next) => answer(200, { items: [{ id: 'a' }], next })),
    ],
    [
      'an empty page that is not the last',
      [answer(200, { items: [], next: 'm' }), answer(200, { items: [] })],
    ],
  ])('%s: the list ends', async (_, answers) => {
    const { machine } = await setScene({ answers, hasReads: true });
    expect(await machine.run(['backup', 'list', '--json'])).toMatchObject({ exitCode: 9, stdout: '' });
  });
});

test('a dispute that was only read is known, in the state in which it was last seen', async () => {
  const { access, service, machine } = await setScene();
  const support = otherUser(service);
  const [id = ''] = await support.openDisputes(1);
  const status = async () => {
    const { stdout } = await machine.run(['disputes', 'list', '--seen', '--fields', 'id,status']);
    return JSON.parse(stdout);
  };

  await machine.run(['disputes', 'show', id]);
  expect(await status()).toEqual([{ id, status: 'open' }]);
  await support.decide(id, 'lost', 'The parcel was lost');
  expect(await status()).toEqual([{ id, status: 'open' }]);
  await machine.run(['disputes', 'show', id]);
  expect(await status()).toEqual([{ id, status: 'lost' }]);

  const { STORECTL_API_KEY: _, ...store } = accessTo(access);
  const places = { env: { STORECTL_STATE_DIR: machine.stateDirectory, ...store } };
  const rest = { cwd: machine.folder, process, homeDirectory: machine.folder };
  expect(completeIds('dispute', [], { ...places, ...rest })).toEqual([
    { id, description: expect.stringMatching(/^lost, Reason 1/) },
  ]);
  // No record, no damage: changes go on.
  expect((await machine.run(['history', 'list'])).stderr).toBe(
    'No history yet on this machine for this store.\n',
  );
});

test('a read succeeds where nothing can be kept', async () => {
  const { service, machine } = await setScene();
  const file = path.join(machine.folder, 'file');
  writeFileSync(file, '');
  const id = service.example.disputes[0]?.id ?? '';

  const shown = await machine.run(['disputes', 'show', id], { env: { STORECTL_STATE_DIR: file } });

  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  const withoutHome = { STORECTL_STATE_DIR: '', HOME: '', XDG_STATE_HOME: path.join(machine.folder, 'file') };
  expect(await machine.run(['disputes', 'show', id], { env: withoutHome })).toMatchObject({ exitCode: 0 });
});

test('history list shows the id of a restored backup whose label this machine does not know', async () => {
  const { machine } = await setScene({ answers: [answer(404), answer(200, {})], hasReads: true });
  const id = '01a20294-76ec-77ee-ad28-9e8643048656';
  const restore = ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  await machine.run([...restore, '--no-safety-backup']);

  const { stdout } = await machine.run(['history', 'list', '--json']);

  expect(JSON.parse(stdout)).toMatchObject([{ operation: 'backup.restore', label: id }]);
});
