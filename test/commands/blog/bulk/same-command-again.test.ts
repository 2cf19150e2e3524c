import { expect, test } from 'vitest';
import { madePosts, writeFiles } from '../../../helpers/bulk.ts';
import { setScene } from '../../../helpers/scene.ts';
import { post, writePosts } from './write-posts.ts';

test('a file has the same slug alone and among others, so it makes one post both ways', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, { '2026-05-01-notes.md': post('A title of its own'), 'b.md': post('B') });

  const alone = await machine.run(['blog', 'create', '2026-05-01-notes.md', '--json']);
  const many = await machine.run(['blog', 'create', '2026-05-01-notes.md', 'b.md', '--json']);
  const after = await machine.run(['blog', 'create', 'b.md']);

  expect(JSON.parse(alone.stdout)).toMatchObject([{ slug: 'notes', outcome: 'applied' }]);
  expect(JSON.parse(many.stdout)).toMatchObject([
    { slug: 'notes', outcome: 'exists', id: JSON.parse(alone.stdout)[0].id },
    { slug: 'b', outcome: 'applied' },
  ]);
  expect(after).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 already created') });
  expect(await madePosts(service)).toEqual(['b', 'notes']);
});

test('a post whose answer was lost is settled by its key when the command is run again', async () => {
  const { service, proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B'), 'c.md': post('C') });
  // One arrives and its answer is lost; one is lost on its way.
  proxy.decide(({ body }) => (body.includes('"a"') ? 'drop' : body.includes('"b"') ? 'lose' : 'pass'));
  const args = ['blog', 'create', 'a.md', 'b.md', 'c.md', '--json'];

  const first = await machine.run(args);
  proxy.decide(() => 'pass');
  const second = await machine.run(args);
  const third = await machine.run(args);

  const outcomes = (text: string) => JSON.parse(text).map(({ outcome }: { outcome: string }) => outcome);
  expect(first.exitCode).toBe(10);
  expect(outcomes(first.stdout)).toEqual(['unknown', 'unknown', 'applied']);
  expect(second.exitCode).toBe(0);
  expect(outcomes(second.stdout)).toEqual(['exists', 'applied', 'exists']);
  expect(outcomes(third.stdout)).toEqual(['exists', 'exists', 'exists']);
  expect(await madePosts(service)).toEqual(['a', 'b', 'c']);
  const ofA = proxy.writes().filter(({ body }) => body.includes('"a"'));
  expect(new Set(ofA.map(({ bytes }) => bytes)).size).toBe(1);
  expect(JSON.parse((await machine.run(['history', 'list', '--state', 'unknown', '--json'])).stdout)).toEqual(
    [],
  );
  expect((await machine.run(['resume'])).stderr).toMatch(/^Nothing to resume\./);
  const settled = await machine.run(['history', 'show', JSON.parse(second.stdout)[0].operationId]);
  expect(settled.stdout).toMatch(/^State +applied$/m);
});

test('a machine without a history does not create again what the store has, and says so of other content', async () => {
  const { service, machine, anotherMachine } = await setScene();
  const other = anotherMachine();
  writeFiles(other, { 'a.md': post('A'), 'b.md': `${post('B')}By somebody else.\n` });
  const [{ id }] = JSON.parse((await other.run(['blog', 'create', 'a.md', 'b.md', '--json'])).stdout);
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B'), 'c.md': post('C') });

  const { exitCode, stdout } = await machine.run(['blog', 'create', 'a.md', 'b.md', 'c.md', '--json']);

  expect(JSON.parse(stdout)).toMatchObject([
    { file: 'a.md', outcome: 'exists', id, slug: 'a' },
    { outcome: 'failed', code: 'slug_taken', message: 'the store has another post with this slug' },
    { file: 'c.md', outcome: 'applied' },
  ]);
  expect(exitCode).toBe(6);
  const duplicate = await machine.run(['blog', 'create', 'a.md', '--allow-duplicate']);
  expect(duplicate.exitCode).toBe(6);
  expect(duplicate.stdout).toContain('the store has this post already');
  expect(await madePosts(service)).toEqual(['a', 'b', 'c']);
  expect((await machine.run(['blog', 'list', '-q'])).stdout).toContain(id);
});

test('a file that was changed after its post was created is not sent as another post', async () => {
  const { service, proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  await machine.run(['blog', 'create', 'a.md', 'b.md']);
  writeFiles(machine, { 'a.md': post('A, better') });
  const before = proxy.writes().length;

  const result = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(result).toMatchObject({
    exitCode: 6,
    stdout: expect.stringMatching(
      /^failed +a\.md +created earlier with other content \("A", change \S+\)\n$/,
    ),
  });
  // Once, and with what helps.
  expect(result.stderr.match(/front matter/g)).toHaveLength(1);
  expect(result.stderr).toContain('posts cannot be edited');
  expect(proxy.writes()).toHaveLength(before);
  expect(await madePosts(service)).toEqual(['a', 'b']);
});

test('a file that was only renamed is named before it becomes another post', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'a.md': post('A'), 'b.md': post('B') });
  await machine.run(['blog', 'create', 'a.md', 'b.md']);
  writeFiles(machine, { 'c.md': post('A'), 'd.md': post('B'), 'e.md': post('E') });

  const planned = await machine.run(['blog', 'create', 'a.md', 'c.md', 'd.md', 'e.md', '--dry-run']);

  expect(planned.stderr).toContain(
    'Warning: c.md and 1 more: created earlier with the same content and another slug.',
  );
  expect(planned.stderr).toMatch(/^3 to create \(draft\), 1 already created$/m);
});

test('two runs of the same files at once make each post once', async () => {
  const { service, machine } = await setScene();
  const names = writePosts(machine, 12);

  const runs = await Promise.all([1, 2].map(() => machine.run(['blog', 'create', ...names])));

  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(
    runs.map(({ stderr }) => /✓ Created \d+ posts|\d+ already created/.exec(stderr)?.[0]).sort(),
  ).toEqual(['12 already created', '✓ Created 12 posts']);
  expect(await madePosts(service)).toHaveLength(12);
});

test('after a kill what matters comes first: what exists is one count, and the same command is enough', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 10);
  proxy.decide(({ body }) => (/"post-[89]"/.test(body) ? 'drop' : 'pass'));
  const first = await machine.run(['blog', 'create', ...names]);
  expect(first).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(/2 in doubt\n {2}run the same command again: no post is created twice\n$/),
  });
  // Others were answered, and in plain text.
  expect(first.stdout + first.stderr).not.toContain('https://');
  proxy.decide(() => 'pass');

  const plan = await machine.run(['blog', 'create', ...names, '--dry-run']);
  // Where the plan differs, it is a column.
  writeFiles(machine, { 'post-new.md': '# New\n\nText' });
  const mixed = await machine.run(['blog', 'create', ...names, 'post-new.md', '--dry-run']);
  const again = await machine.run(['blog', 'create', ...names]);

  expect(mixed.stdout).toMatch(
    /^PLAN .*\ncheck +draft +post-8\.md .*\ncheck .*\ncreate +draft +post-new\.md .*\n$/,
  );
  expect(plan.stdout).toMatch(/^STATUS .*\ndraft +post-8\.md .*\ndraft +post-9\.md .*\n$/);
  expect(plan.stderr).toContain(
    '2 to check (sent before, without a response: only those that are missing are created), 8 already created\n',
  );
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('10 already created') });
  expect(again.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(await madePosts(service)).toHaveLength(10);
});
