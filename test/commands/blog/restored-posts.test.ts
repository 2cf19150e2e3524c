import { expect, test } from 'vitest';
import { tables, writeFiles } from '../../helpers/bulk.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

test('posts that were created before a restore of the blog may be gone: they are sent again, and those that are there are not doubled', async () => {
  const { service, machine } = await setScene();
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

  const again = await run('blog', 'create', 'old.md', 'new-1.md', 'new-2.md');

  expect(again.stderr).toContain('Created 2 posts, 1 already created');
  expect(await slugs()).toEqual(['new-1', 'new-2', 'old']);
  expect((await run('blog', 'create', 'new-1.md', 'new-2.md')).stderr).toContain('2 already created');
});

test('an endpoint can be added again after a restore of the endpoints', async () => {
  const { machine } = await setScene();
  const run = async (...args: readonly string[]) => {
    const result = await machine.run(args);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    return result.stdout.trim();
  };
  const add = typed`notify add-endpoint --name Team --events feedback_digest
    --url https://discord.com/api/webhooks/4711/a-token`;
  const without = await run('backup', 'create', '--label', 'B', '--sections', 'endpoints', '-q');
  await run(...add);
  const again = await machine.run(add);
  expect(again).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('you sent exactly this before'),
  });

  await run(...typed`backup restore ${without} --sections endpoints --confirm ${without}`);

  await run(...add);
});
