import { expect, test } from 'vitest';
import { otherUser, tables, writeFiles } from '../helpers/bulk.ts';
import { setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

/** STORECTL_TEST_POSTS=1000 for the full size; fewer take the same paths in less time. */
const count = Number(process.env.STORECTL_TEST_POSTS ?? 300);

test(
  `${count} files, killed half-way again and again: in the end each post exists exactly once`,
  async () => {
    const { service, proxy, machine } = await setScene({ built: true });
    const existing = (await tables(service)).posts.length;
    const names = Array.from(
      { length: count },
      (_, index) => `posts/post-${String(index).padStart(4, '0')}.md`,
    );
    writeFiles(
      machine,
      Object.fromEntries(names.map((name, index) => [name, `# Post ${index}\n\nText ${index}.\n`])),
    );
    const args = ['blog', 'create', ...names];

    const doubted = new Set<string>();
    // Killed with requests at every stage: not yet sent, on the way, applied without an answer.
    for (const share of [0.15, 0.45]) {
      let killing = false;
      const seen = proxy.writes().length;
      const run = machine.start(args);
      proxy.decide((_, number) => {
        if (!killing && number >= seen + count * share) {
          killing = true;
          run.process.kill('SIGKILL');
        }
        return killing && number % 2 === 0 ? 'lose' : 'pass';
      });
      expect((await run.ended).signal).toBe('SIGKILL');
      // Ten on their way, and ten to follow: no more than these can be in doubt.
      const { stdout } = await machine.run(typed`history list --state sent --limit 200 --json`);
      const inDoubt = JSON.parse(stdout).filter(({ id }: { id: string }) => !doubted.has(id));
      expect(inDoubt.length).toBeLessThanOrEqual(20);
      for (const { id } of inDoubt) doubted.add(id);
    }
    proxy.decide(() => 'pass');
    // Tab offers what stands in the log of the killed batch alone.
    const listed = JSON.parse((await machine.run(['history', 'list', '--limit', '9999', '--json'])).stdout);
    const records: string[] = listed.map(({ id }: { id: string }) => id);
    const lines = (await machine.run(['__complete', 'fish', '--current=', 'history', 'show'])).stdout
      .trim()
      .split('\n');
    const offered = lines.map((line) => line.split('\t')[0] ?? '');
    expect(records).toEqual(expect.arrayContaining(offered));
    expect(offered).toEqual(records.slice(0, offered.length));
    expect(offered).toHaveLength(Math.min(records.length, 200));

    const last = await machine.run([...args, '--json'], { hangsAfterMs: 200 * count });
    const again = await machine.run([...args, '--json'], { hangsAfterMs: 200 * count });

    expect(last).toMatchObject({ exitCode: 0 });
    const { posts } = await tables(service);
    const titles = posts.slice(existing).map(({ title }) => title);
    expect(titles.sort()).toEqual(names.map((_, index) => `Post ${index}`).sort());
    const results = JSON.parse(again.stdout);
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(names.map(() => 'exists'));
    const { stdout } = await machine.run(['history', 'list', '--operation', 'blog.create', '--json']);
    const states = new Set(JSON.parse(stdout).map(({ state }: { state: string }) => state));
    // Nothing is left open: what was never sent is closed, what was lost is settled.
    expect([...states].filter((state) => state !== 'applied' && state !== 'not_sent')).toEqual([]);
  },
  30_000 + 300 * count,
);

test('many posts of several killed runs are settled without a warning', async () => {
  const { proxy, machine } = await setScene({ built: true });
  const names = Array.from({ length: 30 }, (_, index) => `post-${index}.md`);
  writeFiles(machine, Object.fromEntries(names.map((name) => [name, `# ${name}\n\nText.\n`])));
  proxy.decide(() => ({ waitFor: new Promise(() => {}) }));
  for (const some of [names.slice(0, 10), names.slice(10, 20), names.slice(20)]) {
    const seen = proxy.writes().length;
    const run = machine.start(['blog', 'create', ...some]);
    await expect.poll(() => proxy.writes().length - seen, { timeout: 20_000 }).toBe(4);
    run.process.kill('SIGKILL');
    await run.ended;
  }
  proxy.decide(() => 'pass');

  const { exitCode, stderr } = await machine.run(['blog', 'create', ...names]);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(
      /^[^\n]*\n\d+ to create \(draft\), \d+ to check \([^\n]*\)\nPosts without [^\n]*\n✓ Created 30 posts\n$/,
    ),
  });
});

test('decisions, killed half-way and run again: each is recorded once', async () => {
  const { service, proxy, machine } = await setScene({ built: true });
  const before = (await tables(service)).decisions.length;
  const ids = await otherUser(service).openDisputes(20);
  const rows = ids.map((id) => `${id},won,Delivered`);
  writeFiles(machine, { 'decisions.csv': ['disputeId,status,resolution', ...rows].join('\n') });
  const args = ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '20', '--json'];

  const run = machine.start(args);
  proxy.decide(({ method }) => {
    if (method === 'POST' && proxy.writes().length === 10) run.process.kill('SIGKILL');
    return 'pass';
  });
  expect((await run.ended).signal).toBe('SIGKILL');
  proxy.decide(() => 'pass');
  const again = await machine.run(args);

  expect(again).toMatchObject({ exitCode: 0 });
  const { decisions } = await tables(service);
  expect(decisions).toHaveLength(before + 20);
  const outcomes = JSON.parse(again.stdout).map(({ outcome }: { outcome: string }) => outcome);
  expect(outcomes).toHaveLength(20);
  // Those of the killed run are known, also the one whose response was lost.
  expect(outcomes.filter((outcome: string) => outcome === 'exists').length).toBeGreaterThanOrEqual(9);
  const resumed = await machine.run(['resume']);
  expect(resumed).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Nothing to resume\./) });
});
