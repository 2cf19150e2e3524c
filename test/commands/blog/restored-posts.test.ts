import { expect, test } from 'vitest';
import { tables, writeFiles } from '../../helpers/bulk.ts';
import { startStore } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

test('posts that a restore has removed are created again, and only those', async () => {
  const { service, machine } = await startStore();
  const run = async (...args: readonly string[]) => {
    const result = await machine.run(args);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    return result;
  };
  const slugs = async () => {
    const all = (await tables(service)).posts.map(({ slug }) => slug);
    return all.filter((slug) => /^(old|new-\d)$/.test(slug)).sort();
  };
  writeFiles(machine, {
    'old.md': '# Old\n\nText',
    'new-1.md': '# New 1\n\nText',
    'new-2.md': '# New 2\n\nText',
  });
  await run('blog', 'create', 'old.md');
  const id = (await run('backup', 'create', '--label', 'B', '--sections', 'blog', '-q')).stdout.trim();
  await run('blog', 'create', 'new-1.md', 'new-2.md');
  await run('backup', 'restore', id, '--sections', 'blog', '--confirm', id);
  expect(await slugs()).toEqual(['old']);
  expect((await run('blog', 'list', '--fields', 'slug', '--json')).stdout).not.toContain('new-');

  const again = await run('blog', 'create', 'old.md', 'new-1.md', 'new-2.md');

  expect(again.stderr).toContain('Created 2 posts, 1 already created');
  expect(await slugs()).toEqual(['new-1', 'new-2', 'old']);
  expect((await run('blog', 'create', 'new-1.md', 'new-2.md')).stderr).toContain('2 already created');
});

test('an endpoint that a restore has removed is not listed, can be added again, and comes back with the undo', async () => {
  const { machine } = await startStore();
  const run = async (...args: readonly string[]) => {
    const result = await machine.run(args);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    return result.stdout.trim();
  };
  const backUp = () => run('backup', 'create', '--label', 'B', '--sections', 'endpoints', '-q');
  const restore = (id: string) => run(...typed`backup restore ${id} --sections endpoints --confirm ${id} -q`);
  const undo = (id: string) => run('undo', id, '--confirm', id);
  const add = ['notify', 'add-endpoint', '--name', 'Team', '--events', 'feedback_digest', '-q'];
  const url = ['--url', 'https://discord.com/api/webhooks/4711/a-token'];
  const without = await backUp();
  const first = await run(...add, ...url);

  const removal = await restore(without);
  expect(await run('notify', 'list', '-q')).toBe('');
  await run(...add, ...url, '--dry-run');
  await undo(removal);

  expect(await run('notify', 'list', '-q')).toBe(first);
  await undo(await restore(without));
  const again = await machine.run([...add, ...url]);
  expect(again).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('was already sent') });
});
