import { expect, test } from 'vitest';
import { madePosts, writeFiles } from '../../../helpers/bulk.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';
import { post, writePosts } from './write-posts.ts';

test('a line for each file with its id; --json is one array in the order of the files', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, {
    'p/bee.md': post('Bee'),
    'p/a.md': `---\nslug: chosen\n---\n${post('A')}`,
    'q/c.md': post('C'),
  });

  const shown = await machine.run(['blog', 'create', 'p/*.md', '--tags', 'ink']);
  const json = await machine.run(['blog', 'create', 'q/c.md', 'p/a.md', '--tags', 'ink', '--json']);

  expect(shown).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('✓ Created 2 posts\n') });
  expect(shown.stdout).toMatch(/^created +p\/a\.md {2}[0-9a-f-]{36} {2}draft$/m);
  expect(shown.stdout).toMatch(/^created +p\/bee\.md {2}[0-9a-f-]{36} {2}draft$/m);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { file: 'q/c.md', outcome: 'applied', slug: 'c', id: expect.stringMatching(/-/) },
    { file: 'p/a.md', outcome: 'exists', slug: 'chosen', id: expect.stringMatching(/-/) },
  ]);
  expect(await madePosts(service)).toEqual(['bee', 'c', 'chosen']);
});

test('-q prints the id of each post in the order of the files, and the same ids for posts that exist', async () => {
  const { machine } = await setScene();
  const names = writePosts(machine, 6);
  await machine.run(['blog', 'create', names[3] ?? '']);

  const first = await machine.run(['blog', 'create', ...names, '-q']);
  const second = await machine.run(['blog', 'create', ...names, '-q']);

  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^([0-9a-f-]{36}\n){6}$/) });
  expect(second).toMatchObject({ exitCode: 0, stdout: first.stdout, stderr: '' });
  const listed = JSON.parse((await machine.run(['blog', 'list', '--fields', 'id,slug'])).stdout);
  const idOf = (slug: string) => listed.find((post: { slug: string }) => post.slug === slug)?.id;
  expect(first.stdout.trim().split('\n')).toEqual(names.map((name) => idOf(name.replace('.md', ''))));
});

test('--dry-run shows what would be sent', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });

  const result = await machine.run(['blog', 'create', 'a.md', 'b.md', '--dry-run', '--json']);

  expect(JSON.parse(result.stdout)).toMatchObject([
    { file: 'a.md', plan: 'create', body: { title: 'A', slug: 'a' } },
    { file: 'b.md', plan: 'create' },
  ]);
  expect(proxy.requests).toEqual([]);
});

test('one refused post does not hold up the others', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, {
    'a.md': post('A'),
    'b.md': `---\nnonsense: 1\n---\n${post('B')}`,
    'c.md': post('C'),
  });

  const files = ['a.md', 'b.md', 'c.md'];
  const result = await machine.run(['blog', 'create', ...files, '--send', 'nonsense', '--json']);

  expect(result.exitCode).toBe(7);
  expect(JSON.parse(result.stdout)).toMatchObject([
    { outcome: 'applied' },
    { file: 'b.md', outcome: 'failed', message: expect.stringContaining('nonsense') },
    { outcome: 'applied' },
  ]);
  expect(await madePosts(service)).toEqual(['a', 'c']);
});

test('a key that is refused ends the run, and the rest is not tried', async () => {
  const { server, machine } = await setScene({ answers: [answer(401, { code: 'invalid_key' })] });
  const names = writePosts(machine, 20);

  const result = await machine.run(['blog', 'create', ...names, '--json']);

  expect(result.exitCode).toBe(4);
  expect(server.requests.length).toBeLessThanOrEqual(4);
  expect(JSON.parse(result.stdout)).toHaveLength(20);
});

test('many posts that are rate limited say so once, and the plan comes first', async () => {
  const { proxy, machine } = await setScene();
  const names = writePosts(machine, 4);
  proxy.decide((_, number) => (number <= 3 ? { status: 429, headers: { 'retry-after': '1' } } : 'pass'));

  const run = await machine.run(['blog', 'create', ...names]);

  expect(run.exitCode).toBe(0);
  expect(run.stderr.match(/rate limited/g)).toHaveLength(1);
  expect(run.stderr).toContain('4 to create (draft)\n');
});

test('the plan and the results say whether posts become drafts or are published', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': `---\nstatus: published\n---\n${post('B')}` });

  const run = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(run.stderr).toContain('2 to create (1 draft, 1 published)\n');
  expect(run.stderr).toContain('Posts without a status become drafts.');
  expect(run.stdout).toMatch(/^created +a\.md .* draft\ncreated +b\.md .* published\n$/);
});

test('posts in doubt are counted apart from those that were not created', async () => {
  const { machine } = await setScene({
    answers: [
      answer(422, { code: 'validation_failed', detail: 'No' }),
      {
        does: 'drop',
      },
    ],
  });
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });

  const { exitCode, stderr } = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(exitCode).toBe(10);
  expect(stderr).toContain('error: 1 failed, 1 in doubt\n');
});
