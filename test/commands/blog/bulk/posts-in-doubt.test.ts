import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madePosts, writeFiles } from '../../../helpers/bulk.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { gate } from '../../../helpers/gate.ts';
import { setScene } from '../../../helpers/scene.ts';
import { logFiles } from '../../../helpers/seed-history.ts';
import { post, settledCount, writePosts } from './write-posts.ts';

test('a post that is in doubt does not count as created because another post has its slug', async () => {
  const { service, proxy, machine, anotherMachine } = await setScene();
  const other = anotherMachine();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  proxy.decide(() => 'lose');
  const names = ['blog', 'create', 'a.md', 'b.md'];
  expect(await machine.run(names)).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');
  await other.run(['blog', 'create', '--title', 'A', '--slug', 'a', '--content-md', 'by somebody else']);

  const again = await machine.run([...names, '--json']);
  const third = await machine.run(['resume']);

  expect(again.exitCode).toBe(6);
  expect(JSON.parse(again.stdout)).toMatchObject([
    { file: 'a.md', outcome: 'failed', code: 'slug_taken' },
    { file: 'b.md', outcome: 'applied' },
  ]);
  expect(again.stderr).toContain('set another slug in the front matter');
  expect(third.stderr).toMatch(/^Nothing to resume\./);
  expect(await madePosts(service)).toEqual(['a', 'b']);
});

test('posts stay in doubt where the service does not apply the keys of headers, whatever it refuses', async () => {
  const { proxy, machine } = await setScene({ hides: 'of requests' });
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  proxy.decide(() => 'drop');
  await machine.run(['blog', 'create', 'a.md', 'b.md']);
  const sent = proxy.writes().length;
  proxy.decide(() => 'pass');

  const again = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(again.exitCode).toBe(10);
  expect(again.stdout).toMatch(/^in doubt {2}a\.md /m);
  expect(again.stderr).toContain('run `storectl resume ID --mark applied`');
  const resumed = await machine.run(['resume']);
  expect(resumed.exitCode).toBe(10);
  expect(resumed.stderr).toContain('run `storectl resume ID --mark applied` or `--mark not-applied`');
  expect(proxy.writes()).toHaveLength(sent);
});

test('no more posts are settled at once than are created', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 8);
  // Each for itself: those of one batch share a lock, and so are settled one after the other.
  proxy.decide(() => 'lose');
  for (const name of names)
    expect(await machine.run(['blog', 'create', name])).toMatchObject({ exitCode: 10 });

  const before = proxy.writes().length;
  const held = gate();
  proxy.decide(({ method }) => (method === 'GET' ? 'pass' : { waitFor: held.opened }));
  const run = machine.run(['blog', 'create', ...names]);
  expect(await settledCount(() => proxy.writes().length - before, 4)).toBe(4);
  held.open();

  expect(await run).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toHaveLength(8);
}, 90_000);

test('a refusal that is cut off leaves a post in doubt, until the whole response arrives', async () => {
  const { service, proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  proxy.decide(() => 'drop');
  await machine.run(['blog', 'create', 'a.md', 'b.md']);
  proxy.decide(({ method }) => (method === 'GET' ? 'pass' : { status: 409, body: '{"code":"slug_ta' }));

  const first = await machine.run(['blog', 'create', 'a.md', 'b.md']);
  proxy.decide(() => 'pass');
  const second = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(first).toMatchObject({
    exitCode: 10,
    stdout: expect.stringMatching(/^in doubt {2}a\.md .*last response \(409\): /m),
  });
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 already created') });
  expect(await madePosts(service)).toEqual(['a', 'b']);
});

test('a service that does not say that it applies keys once gets no post twice, unless the user says so', async () => {
  const { server, machine } = await setScene({
    answers: [{ does: 'drop' }, answer(201, { id: 'p-2', slug: 'b' }), answer(201, { id: 'p-1', slug: 'a' })],
  });
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  const posts = () => server.requests.filter(({ method }) => method === 'POST');

  const first = await machine.run(['blog', 'create', 'a.md', 'b.md', '--json']);
  const second = await machine.run(['blog', 'create', 'a.md', 'b.md', '--json']);
  expect(first.exitCode).toBe(10);
  expect(second.exitCode).toBe(10);
  expect(posts()).toHaveLength(2);
  const [{ operationId }] = JSON.parse(second.stdout);
  expect(second.stdout).toContain(operationId);
  expect(second.stderr).toContain('storectl resume ID --mark applied');

  expect(await machine.run(['resume', operationId, '--mark', 'not-applied'])).toMatchObject({ exitCode: 0 });
  const third = await machine.run(['blog', 'create', 'a.md', 'b.md']);
  expect(third.exitCode).toBe(0);
  expect(posts()).toHaveLength(3);
});

test('a service that does not answer gets no more posts, and the same command settles them when it answers', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 6);
  proxy.decide(() => 'drop');
  const args = ['blog', 'create', ...names];

  const first = await machine.run(args);
  const before = proxy.writes().length;
  const second = await machine.run([...args, '--timeout', '2']);
  expect(proxy.writes()).toHaveLength(before);
  proxy.decide(() => 'pass');
  const dry = await machine.run([...args, '--dry-run']);
  const third = await machine.run(args);

  const again = 'run the same command again when the service answers';
  expect(first).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(again) });
  expect(second).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(again) });
  expect(dry.stderr).toContain('to check');
  expect(third.exitCode).toBe(0);
  expect(await madePosts(service)).toHaveLength(6);
});

test('posts in doubt that a run did not reach are in doubt, not "not sent"', async () => {
  const { proxy, machine } = await setScene();
  const names = writePosts(machine, 8);
  proxy.decide(() => 'drop');
  await machine.run(['blog', 'create', ...names.slice(0, 4)]);
  await machine.run(['blog', 'create', ...names.slice(4)]);

  const again = await machine.run(['blog', 'create', ...names, '--timeout', '2']);

  expect(again).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining('error: stopped (8 in doubt): the service does not answer\n'),
  });
});

test('a post without a slug is not taken for another one without a slug that is in doubt', async () => {
  const { proxy, machine } = await setScene();
  proxy.decide(() => 'drop');
  await machine.run(['blog', 'create', '-'], { stdin: post('A') });
  proxy.decide(() => 'pass');

  expect(await machine.run(['blog', 'create', '-'], { stdin: post('B') })).toMatchObject({ exitCode: 0 });
});

test('posts in doubt are settled by resume too', async () => {
  const { service, proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  proxy.decide(({ body }) => (body.includes('"a"') ? 'drop' : 'lose'));
  expect(await machine.run(['blog', 'create', 'a.md', 'b.md'])).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');

  const planned = await machine.run(['resume', '--dry-run']);
  expect(planned.stdout.match(/the service would be asked, and it may be sent again/g)).toHaveLength(2);
  expect(await machine.run(['resume'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(
      /^✓ 2 changes were applied\nTo continue a batch, run its command again\.\n$/m,
    ),
  });
  expect(await madePosts(service)).toEqual(['a', 'b']);
});

test('posts of a log that was emptied and repaired are left to the user, and the service is not blamed', async () => {
  const { proxy, machine } = await setScene();
  const args = ['blog', 'create', ...writePosts(machine, 5)];
  await machine.run(args);
  writeFileSync(logFiles(machine).at(-1) ?? '', '');
  await machine.run(['history', 'repair']);
  const before = proxy.writes().length;

  const { exitCode, stderr } = await machine.run(args);

  expect(exitCode).toBe(10);
  expect(stderr).toContain('error: 5 in doubt\n');
  expect(stderr).toContain('--mark not-applied');
  expect(stderr).not.toContain('when the service answers');
  expect(proxy.writes()).toHaveLength(before);
});
