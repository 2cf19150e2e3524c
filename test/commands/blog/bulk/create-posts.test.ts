import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { madePosts, writeFiles } from '../../../helpers/bulk.ts';
import { type Machine, machineFor } from '../../../helpers/cli.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { gate } from '../../../helpers/gate.ts';
import { scriptedStore, setScene } from '../../../helpers/scene.ts';
import { logFiles } from '../../../helpers/seed-history.ts';

const post = (title: string) => `# ${title}\n\nText of ${title}.\n`;

/** So many files with a post each; their names. */
function writePosts(machine: Machine, count: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `post-${index}.md`);
  writeFiles(machine, Object.fromEntries(names.map((name) => [name, post(name)])));
  return names;
}

/** How many requests have come, of all or of those that `count` counts, when no more come. */
async function settledCount(count: () => number, atLeast: number): Promise<number> {
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(atLeast);
  // Whatever else is let through has come by then.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return count();
}

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

test('a service that has taken twenty posts at once gets more at a time, until one is not taken', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 180);
  const come = (atLeast: number) => settledCount(() => proxy.requests.length, atLeast);

  const first = gate();
  proxy.decide((_, number) => (number <= 12 ? 'pass' : { waitFor: first.opened }));
  const run = machine.run(['blog', 'create', ...names, '--json']);
  expect(await come(16)).toBe(16);

  const later = gate();
  proxy.decide((_, number) => (number <= 150 ? 'pass' : { waitFor: later.opened }));
  first.open();
  expect(await come(160)).toBe(160);

  const refused = gate();
  const refusal = { status: 422, body: '{"code":"validation_failed"}' };
  proxy.decide((_, number) => (number === 161 ? refusal : { waitFor: refused.opened }));
  later.open();
  const onTheirWay = await come(165);

  const last = gate();
  proxy.decide(() => ({ waitFor: last.opened }));
  refused.open();
  expect(await come(onTheirWay + 4)).toBe(onTheirWay + 4);
  last.open();

  expect(await run).toMatchObject({ exitCode: 7 });
  expect(await madePosts(service)).toHaveLength(names.length - 1);
}, 90_000);

test('a service that refuses one for now gets few at a time from then on', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 180);
  const held = gate();
  const tooMany = { status: 429, headers: { 'retry-after': '1' } };
  // All pause for as long as the service asks, and then only 4 at a time are on their way.
  proxy.decide((_, number) => (number === 140 ? tooMany : number < 147 ? 'pass' : { waitFor: held.opened }));
  const run = machine.run(['blog', 'create', ...names, '--json']);
  expect(await settledCount(() => proxy.requests.length, 150)).toBe(150);
  held.open();

  expect(await run).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toHaveLength(names.length);
}, 90_000);

test('after a 429 with Retry-After no request of the batch leaves before', async () => {
  const { proxy, machine } = await setScene();
  const names = writePosts(machine, 20);
  let refusedAt = 0;
  let early = 0;
  proxy.decide((_, number) => {
    if (number === 6) {
      refusedAt = performance.now();
      return { status: 429, headers: { 'retry-after': '2' } };
    }
    if (refusedAt > 0 && performance.now() - refusedAt < 1_900) early += 1;
    return 'pass';
  });

  expect(await machine.run(['blog', 'create', ...names])).toMatchObject({ exitCode: 0 });
  // A batch begins with four at a time: the three that left together with the refused one may still arrive.
  expect(early).toBeLessThanOrEqual(3);
});

test('the time that a post may take begins when it is its turn', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 24);
  proxy.decide(() => ({ holdUntil: new Promise((resolve) => setTimeout(resolve, 700)) }));

  // Six times four, each of them after 0.7 s.
  expect(await machine.run(['blog', 'create', ...names, '--timeout', '4'])).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toHaveLength(names.length);
});

test('a refusal that is cut off leaves a post in doubt, until it is heard', async () => {
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
      /^failed +a\.md +the post with this slug has other content \("A", \S+\)\n$/,
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

test('a post without a slug is not taken for another one without a slug that is in doubt', async () => {
  const { proxy, machine } = await setScene();
  proxy.decide(() => 'drop');
  await machine.run(['blog', 'create', '-'], { stdin: post('A') });
  proxy.decide(() => 'pass');

  expect(await machine.run(['blog', 'create', '-'], { stdin: post('B') })).toMatchObject({ exitCode: 0 });
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

test('a key that is refused ends the run, and the rest is not tried', async () => {
  const { server, machine } = await setScene({ answers: [answer(401, { code: 'invalid_key' })] });
  const names = writePosts(machine, 20);

  const result = await machine.run(['blog', 'create', ...names, '--json']);

  expect(result.exitCode).toBe(4);
  expect(server.requests.length).toBeLessThanOrEqual(4);
  expect(JSON.parse(result.stdout)).toHaveLength(20);
});

test('a cancelled run lets what is under way end, and says what is there', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 20);
  const controller = new AbortController();
  proxy.decide(() => {
    controller.abort();
    return 'pass';
  });

  const first = await machine.run(['blog', 'create', ...names, '--json'], { signal: controller.signal });
  const created = JSON.parse(first.stdout).filter(
    ({ outcome }: { outcome: string }) => outcome === 'applied',
  );
  const second = await machine.run(['blog', 'create', ...names, '--json']);

  expect(first.exitCode).toBe(130);
  expect(first.stderr).toMatch(/stopped \(.*not sent\): cancelled"/);
  expect(created.length).toBeGreaterThan(0);
  expect(created.length).toBeLessThanOrEqual(4);
  // Written down is what was sent, or was about to be.
  const records = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(records.length - 20).toBeLessThanOrEqual(8);
  expect(second.exitCode).toBe(0);
  expect(await madePosts(service)).toHaveLength(20);
  expect(proxy.writes()).toHaveLength(20);
});

test('Ctrl-C while the connection is refused ends a batch at once: nothing is in flight', async () => {
  const machine = machineFor({ ...scriptedStore, origin: `http://127.0.0.1:${await freePort()}` });
  const names = writePosts(machine, 6);
  const controller = new AbortController();
  const output: string[] = [];
  const run = machine.run(['blog', 'create', ...names], {
    signal: controller.signal,
    isTerminal: true,
    onOutput: (text) => output.push(text),
  });
  await expect.poll(() => output.join(''), { timeout: 20_000 }).toContain('refused the connection');
  controller.abort();

  const { exitCode, stderr } = await run;

  expect(exitCode).toBe(130);
  expect(stderr).not.toContain('Stopping: waiting');
  // The bar counts what was done, and nothing was.
  expect(stderr).not.toMatch(/ [1-9]\d*\/6 posts/);
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

test('after a kill what matters comes first: what exists is one count, and the same command is enough', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 10);
  proxy.decide(({ body }) => (/"post-[89]"/.test(body) ? 'drop' : 'pass'));
  const first = await machine.run(['blog', 'create', ...names]);
  expect(first).toMatchObject({
    exitCode: 10,
    stderr: expect.stringMatching(/2 in doubt\n {2}run the same command again; no post is created twice\n$/),
  });
  // Others were answered, and in plain text.
  expect(first.stdout + first.stderr).not.toContain('https://');
  proxy.decide(() => 'pass');

  const plan = await machine.run(['blog', 'create', ...names, '--dry-run']);
  const again = await machine.run(['blog', 'create', ...names]);

  expect(plan.stdout).toMatch(/^PLAN .*\ncheck +draft +post-8\.md .*\ncheck +draft +post-9\.md .*\n$/);
  expect(plan.stderr).toContain(
    '2 to check (sent before, without a response: only those that are missing are created), 8 already created\n',
  );
  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('10 already created') });
  expect(again.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(await madePosts(service)).toHaveLength(10);
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
    stderr: expect.stringMatching(/^To continue a batch, run its command again\.\n✓ Settled 2 changes\n$/m),
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
