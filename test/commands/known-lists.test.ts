import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { completeIds } from '../../src/cli/completion/ids.ts';
import { otherUser } from '../helpers/bulk.ts';
import { machineFor, newMachine } from '../helpers/cli.ts';
import { startStore } from '../helpers/scene.ts';

const nouns = ['backup', 'disputes', 'blog', 'notify', 'reclaim'] as const;

test.each(nouns)('%s list without a history says what to run', async (noun) => {
  const machine = machineFor({ origin: 'https://shop.example', storeId: 's', apiKey: 'some-long-key' });

  expect(await machine.run([noun, 'list'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^No [\\w ]+ known on this machine\\. Start with \`storectl ${noun} .+\`\\.\n$`),
    ),
  });
  expect(await machine.run([noun, 'list', '--json'])).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  expect(await machine.run([noun, 'list', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test('each list shows what this machine made, in the words of its noun', async () => {
  const { service, machine } = await startStore();
  const notice = service.example.reclaims[0]?.id ?? '';
  const text = ['--text', 'The shop is open', '--confirm', notice];
  const made = async (...args: string[]) => (await machine.run([...args, '-q'])).stdout.trim();
  const first = await made('backup', 'create', '--label', 'first', '--sections', 'store');
  const second = await made('backup', 'create', '--label', 'second', '--sections', 'store,blog');
  const dispute = await made('disputes', 'open', '--reason', 'lost', '--deadline-at', '2040-05-06 09:00');
  const post = await made('blog', 'create', '--title', 'Spring sale', '--content-md', 'x');
  const url = 'https://discord.com/api/webhooks/200000000000000000/secret';
  const events = ['--events', 'feedback_digest,post_created'];
  const endpoint = await made('notify', 'add-endpoint', '--name', 'Team', '--url', url, ...events);
  await machine.run(['reclaim', 'appeal', notice, ...text]);

  const list = async (noun: string) => {
    const { stdout, stderr } = await machine.run([noun, 'list']);
    return { heading: stderr, rows: stdout.trimEnd().split('\n') };
  };
  const backups = await list('backup');
  expect(backups.heading).toBe('Backups seen on this machine:\n');
  expect(backups.rows[0]).toMatch(/^ID +LABEL +SECTIONS +AGE$/);
  expect(backups.rows.slice(1).sort()).toEqual([
    expect.stringMatching(`^${first} +first +store +now$`),
    expect.stringMatching(`^${second} +second +store, blog +now$`),
  ]);
  expect((await list('disputes')).rows).toEqual([
    expect.stringMatching(/^ID +REASON +STATUS +DEADLINE +SEEN$/),
    expect.stringMatching(`^${dispute} +lost +open +2040-05-06 09:00 \\S+ \\(in 13 years\\) +now$`),
  ]);
  expect((await list('blog')).rows).toEqual([
    expect.stringMatching(/^ID +TITLE +STATUS +AGE$/),
    expect.stringMatching(`^${post} +Spring sale +draft +now$`),
  ]);
  expect((await list('notify')).rows[1]).toMatch(
    new RegExp(`^${endpoint} +Team +discord +feedback_digest, post_created +now$`),
  );
  expect((await list('reclaim')).rows[1]).toMatch(new RegExp(`^${notice} +appealed +now$`));

  const json = JSON.parse((await machine.run(['backup', 'list', '--json'])).stdout);
  expect(json).toHaveLength(2);
  expect(json[0]).toEqual({
    id: expect.any(String),
    label: expect.any(String),
    sections: expect.any(Array),
    createdAt: expect.stringMatching(/Z$/),
    seenAt: expect.stringMatching(/Z$/),
  });
  const one = await machine.run(['backup', 'list', '--limit', '1']);
  expect(one.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(one.stderr).toContain('Showing 1 of 2. Use --limit 2 to see all.');
  expect((await machine.run(['backup', 'list', '-q'])).stdout.trim().split('\n').sort()).toEqual(
    [first, second].sort(),
  );
  expect(JSON.parse((await machine.run(['blog', 'list', '--fields', 'slug'])).stdout)).toEqual([
    { slug: 'spring-sale' },
  ]);
  const unknown = await machine.run(['blog', 'list', '--fields', 'slgu']);
  expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('did you mean slug?') });
  expect(await machine.run(['blog', 'list', '--limit', '0'])).toMatchObject({ exitCode: 2 });
  // Another store has other objects.
  expect((await machine.run(['backup', 'list', '--store', 'other'])).stdout).toBe('');
});

test('a dispute that was only read is known, in the state in which it was last seen', async () => {
  const { service, machine } = await startStore();
  const support = otherUser(service);
  const [id = ''] = await support.openDisputes(1);
  const status = async () => {
    const { stdout } = await machine.run(['disputes', 'list', '--fields', 'id,status']);
    return JSON.parse(stdout);
  };

  await machine.run(['disputes', 'show', id]);
  expect(await status()).toEqual([{ id, status: 'open' }]);
  await support.decide(id, 'lost', 'The parcel was lost');
  expect(await status()).toEqual([{ id, status: 'open' }]);
  await machine.run(['disputes', 'show', id]);
  expect(await status()).toEqual([{ id, status: 'lost' }]);

  const { STORECTL_BASE_URL, STORECTL_STORE_ID } = {
    STORECTL_BASE_URL: service.origin,
    STORECTL_STORE_ID: service.storeId,
  };
  const places = {
    env: { STORECTL_STATE_DIR: machine.stateDirectory, STORECTL_BASE_URL, STORECTL_STORE_ID },
  };
  const rest = { cwd: machine.folder, process, homeDirectory: machine.folder };
  expect(completeIds('dispute', [], { ...places, ...rest })).toEqual([
    { id, description: expect.stringMatching(/^lost, Reason 1/) },
  ]);
  // No record, no damage: changes go on.
  expect((await machine.run(['history', 'list'])).stderr).toBe(
    'No history yet on this machine for this store.\n',
  );
});

test('a refusal that shows a post leaves what is known of it', async () => {
  const { machine } = await startStore();
  const create = (text: string) => machine.run(['blog', 'create', '--title', 'A', '--content-md', text]);
  expect([(await create('a')).exitCode, (await create('b')).exitCode]).toEqual([0, 6]);

  const { stdout } = await machine.run(['blog', 'list', '--json']);

  expect(JSON.parse(stdout)).toMatchObject([{ slug: 'a', status: 'draft' }]);
});

test('a read succeeds where nothing can be kept', async () => {
  const { service, machine } = await startStore();
  const file = path.join(machine.folder, 'file');
  writeFileSync(file, '');
  const id = service.example.disputes[0]?.id ?? '';

  const shown = await machine.run(['disputes', 'show', id], { env: { STORECTL_STATE_DIR: file } });

  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  const withoutHome = { STORECTL_STATE_DIR: '', HOME: '', XDG_STATE_HOME: path.join(machine.folder, 'file') };
  expect(await machine.run(['disputes', 'show', id], { env: withoutHome })).toMatchObject({ exitCode: 0 });
});

test('the demo lists the safety backup of a restore, and not the automatic one of the service', async () => {
  const machine = newMachine({ STORECTL_PROFILE: 'demo' });
  const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'];
  const id = (await machine.run(create)).stdout.trim();
  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  const list = JSON.parse((await machine.run(['backup', 'list', '--json'])).stdout);

  expect(list.map(({ label }: { label: string }) => label)).toEqual(['Safety: nightly', 'nightly']);
  const { stdout } = await machine.run(['history', 'list', '--operation', 'backup.restore', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ label: 'nightly' }]);
});

test('history list shows the id of a restored backup whose label this machine does not know', async () => {
  const { machine } = await startStore();
  const id = '01a20294-76ec-77ee-ad28-9e8643048656';
  const restore = ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  await machine.run([...restore, '--no-safety-backup']);

  const { stdout } = await machine.run(['history', 'list', '--json']);

  expect(JSON.parse(stdout)).toMatchObject([{ operation: 'backup.restore', label: id }]);
});

test('the demo store lists what it holds', async () => {
  const machine = newMachine();

  const disputes = await machine.run(['--demo', 'disputes', 'list', '--fields', 'status,kind']);

  expect(JSON.parse(disputes.stdout)).toEqual([
    { status: 'open', kind: 'payment' },
    { status: 'won', kind: 'payment' },
  ]);
  expect((await machine.run(['--demo', 'notify', 'list'])).stdout).toContain('Workshop channel');
});

test('people are shown 50 rows of a list, and scripts all of them', async () => {
  const { machine } = await startStore();
  const names = Array.from({ length: 51 }, (_, index) => `post-${index}.md`);
  for (const name of names) writeFileSync(path.join(machine.folder, name), `# ${name}\n\nText\n`);
  await machine.run(['blog', 'create', ...names]);

  for (const command of ['blog', 'history']) {
    const { stdout, stderr } = await machine.run([command, 'list']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(51);
    expect(stderr).toMatch(/Showing 50 of 51( changes recorded)?\. Use --limit 51 to see all\./);
    expect(JSON.parse((await machine.run([command, 'list', '--json'])).stdout)).toHaveLength(51);
    expect((await machine.run([command, 'list', '-q'])).stdout.trimEnd().split('\n')).toHaveLength(51);
  }
});
