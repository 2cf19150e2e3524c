import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { madePosts, tables, writeFiles } from '../../../helpers/bulk.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';

const yaml = (...lines: readonly string[]) => `---\n${lines.join('\n')}\n---\nText\n`;

/** So many files with one thing wrong in all of them, and one that is right. */
const invalidFiles = {
  'a.md': yaml('draft: maybe'),
  'b.md': yaml('title: B', 'draft: perhaps'),
  'c.md': yaml('draft: maybe'),
  'd.md': yaml('draft: maybe'),
  'e.md': yaml('title: x', 'title: y'),
  'right.md': yaml('title: Right'),
};

test('what is wrong in many files is said once, and nothing is sent', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, invalidFiles);

  const shown = await machine.run(['blog', 'create', '*.md', '--output-file', 'out.json']);
  const json = await machine.run(['blog', 'create', '*.md', '--json']);
  const dry = await machine.run(['blog', 'create', '*.md', '--dry-run']);

  expect(shown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(shown.stderr).toBe(`error: 5 of 6 files are invalid, so nothing was sent:
  4 files: draft must be true or false (a.md:2, b.md:3, c.md:2 and 1 more)
  e.md:3: title is set twice, in lines 2 and 3
  fix the files, or add --skip-invalid to create the others
`);
  expect(json.stdout).toBe('');
  expect(JSON.parse(json.stderr).error.files).toEqual([
    { path: 'a.md', line: 2, field: 'draft', reason: 'must be true or false (got "maybe")' },
    { path: 'b.md', line: 3, field: 'draft', reason: 'must be true or false (got "perhaps")' },
    { path: 'c.md', line: 2, field: 'draft', reason: 'must be true or false (got "maybe")' },
    { path: 'd.md', line: 2, field: 'draft', reason: 'must be true or false (got "maybe")' },
    { path: 'e.md', line: 3, field: null, reason: 'title is set twice, in lines 2 and 3' },
  ]);
  expect(JSON.parse(readFileSync(path.join(machine.folder, 'out.json'), 'utf8'))).toMatchObject([
    ...Array.from({ length: 5 }, () => ({ plan: 'failed', reason: expect.any(String) })),
    { file: 'right.md', plan: 'create', leftOut: [] },
  ]);
  expect(dry).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('1 to create (draft), 5 cannot be created'),
  });
  expect(dry.stderr.toLowerCase()).toContain(
    'fix the invalid files, or add --skip-invalid to create the others',
  );
  expect(proxy.requests).toEqual([]);
});

test('--skip-invalid creates the others: exit 2, and -q still names what failed', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, invalidFiles);

  const shown = await machine.run(['blog', 'create', '*.md', '--skip-invalid']);
  const quiet = await machine.run(['blog', 'create', '*.md', '--skip-invalid', '-q']);
  const dry = await machine.run(['blog', 'create', '*.md', '--skip-invalid', '--dry-run']);

  expect(shown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('1 created, 5 failed') });
  expect(shown.stdout).toMatch(
    /^created +right\.md .*\nfailed +4 posts: a\.md:2, .* and 1 more +draft must be .*\nfailed +e\.md:3 /,
  );
  expect(quiet).toMatchObject({ exitCode: 2, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  expect(quiet.stderr).toMatch(/a\.md:2.*\n.*e\.md:3/);
  expect(dry).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('or add') });
  expect(proxy.writes()).toHaveLength(1);
});

test('files with the same slug are all left out, also with --skip-invalid; a prefix imports one section at a time', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, { 'may/sale.md': 'May', 'june/sale.md': 'June', 'a.md': 'A' });

  const result = await machine.run(['blog', 'create', '**/*.md', '--skip-invalid']);
  const may = await machine.run(['blog', 'create', 'may/*.md', '--slug-prefix', 'may-', '--json']);

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('1 created, 2 failed') });
  expect(result.stdout).toMatch(/june\/sale\.md +slug is the same .* \("sale" in may\/sale\.md\)/);
  expect(result.stdout).toMatch(/may\/sale\.md +slug is the same .* \("sale" in june\/sale\.md\)/);
  expect(JSON.parse(may.stdout)).toMatchObject([{ slug: 'may-sale', outcome: 'applied' }]);
  expect(proxy.writes().map(({ body }) => JSON.parse(body).slug)).toEqual(['a', 'may-sale']);
});

test('what the service would refuse is in the plan, as far as the contract knows it, unless the field is sent as it is', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'a.md': yaml(`title: ${'x'.repeat(201)}`) });

  const dry = await machine.run(['blog', 'create', 'a.md', '--dry-run']);
  const sent = await machine.run(['blog', 'create', 'a.md', '--send', 'title']);

  expect(dry).toMatchObject({
    exitCode: 2,
    stdout: expect.stringContaining('a.md:2\n  title has more than 200 characters'),
  });
  expect(sent.exitCode).toBe(7);
});

test('the plan says once what stays behind, and drafts have no date', async () => {
  const { machine, proxy } = await setScene();
  writeFiles(machine, {
    'a.md': yaml('layout: post', 'tilte: A', 'date: 2020-01-02'),
    'b.md': yaml('layout: post', 'author: me', 'subtitle: S'),
  });

  const { stdout, stderr } = await machine.run(['blog', 'create', '*.md', '--dry-run']);
  const json = await machine.run(['blog', 'create', '*.md', '--dry-run', '--json', '--status', 'published']);
  await machine.run(['blog', 'create', '*.md', '--status', 'published', '--send', 'layout,author']);

  expect(stdout).toMatch(/^draft +a\.md/m);
  expect(stderr).toContain(
    'Left out: tilte (1 file; did you mean title?), layout (2), author (1), subtitle (1). --send FIELD sends one as it is.\n',
  );
  expect(stderr).toContain('Drafts have no date: the date of 1 post is not sent.\n');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { leftOut: ['layout', 'tilte'], body: { status: 'published', publishedAt: '2020-01-02T00:00:00Z' } },
    { leftOut: ['layout', 'author', 'subtitle'] },
  ]);
  // This service does not know these fields.
  expect(proxy.writes().map(({ body }) => JSON.parse(body))).toMatchObject([
    { layout: 'post' },
    { layout: 'post', author: 'me' },
  ]);
});

test('the plan names Markdown files that the pattern leaves out', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { '_posts/2020-01-02-a.md': 'A', '_posts/2020-01-03-b.markdown': 'B' });

  const { stderr } = await machine.run(['blog', 'create', '_posts/**/*.md', '--dry-run']);

  expect(stderr).toContain(
    "Warning: not included: _posts/2020-01-03-b.markdown. To include it, use '_posts/**/*.{markdown,md}'.\n",
  );
});

test.each([
  [80, /^STATUS +FILE +SLUG +TITLE$/m, /^created {3}…[^ ]*bottles-or-c\.md {2}[0-9a-f-]{36} {2}published$/m],
  [60, /^STATUS +FILE +SLUG$/m, /^created {3}…[^ ]*-c\.md\n {10}[0-9a-f-]{36} {2}published$/m],
])(
  'in a terminal of %i columns the plan and the results are not wrapped',
  async (columns, header, created) => {
    const { machine } = await setScene();
    const files = ['a', 'b', 'c'].map((letter) => [
      `_posts/2020-01-02-ten-kinds-of-paper-and-bottles-or-${letter}.md`,
      yaml(`title: Ten kinds of paper, and whether bottles are better, part ${letter}`),
    ]);
    writeFiles(machine, { ...Object.fromEntries(files), 'd.md': yaml('draft: perhaps') });
    const args = ['blog', 'create', '_posts/*.md', 'd.md', '--status', 'published', '--skip-invalid'];

    const shown = async (given: readonly string[]) =>
      stripVTControlCharacters((await machine.run(given, { columns })).stdout);
    const plan = await shown([...args, '--dry-run']);
    const result = await shown(args);

    expect(plan).toMatch(header);
    expect(result).toMatch(created);
    expect(result).toMatch(/^failed {4}d\.md:2 {2}draft must be|^failed {4}d\.md:2\n {10}draft must be/m);
    const lines = `${plan}\n${result}`.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  },
);

test('while many files are read, a terminal counts them, and a pipe says nothing', async () => {
  const { machine } = await setScene();
  const names = Array.from({ length: 1500 }, (_, index) => `p${index}.md`);
  writeFiles(
    machine,
    Object.fromEntries(names.map((name) => [name, yaml('title: T', 'tags: [ink, paper]')])),
  );
  const args = ['blog', 'create', '*.md', '--dry-run', '--json'];

  const terminal = await machine.run(args, { isTerminal: true });
  const pipe = await machine.run(args);

  expect(terminal.stderr).toMatch(/█ *\S* \d+\/1500 files read/);
  expect(pipe.stderr).toBe('dry run: nothing was sent\n');
}, 120_000);

test('the plan says what makes a file a draft, where nothing in it is called a draft', async () => {
  const { machine } = await setScene();
  writeFiles(machine, {
    'a.md': yaml('title: A', 'expiryDate: 2020-01-02'),
    'b.md': yaml('title: B', 'published: false'),
    'c.md': yaml('title: C', 'password: secret'),
    'd.md': yaml('title: D', 'status: private'),
    'e.md': yaml('title: E', 'draft: true', 'unlisted: true'),
    'f.md': yaml('title: F', '_build: { render: never }'),
  });

  const { stdout } = await machine.run(['blog', 'create', '*.md', '--status', 'published', '--dry-run']);

  expect(stdout).toMatch(
    /^draft \(expiryDate\) +a\.md .*\ndraft \(published: false\) +b\.md .*\ndraft \(password\) +c\.md .*\ndraft \(status: private\) +d\.md .*\ndraft +e\.md .*\ndraft \(_build\.render\) +f\.md /m,
  );
});

test('the plan shows the day that the file has, also in a zone east of Greenwich', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'a.md': yaml('date: 2019-01-01'), 'b.md': yaml('title: B') });
  const args = ['blog', 'create', 'a.md', 'b.md', '--status', 'published', '--dry-run'];

  const { stdout } = await machine.run([...args, '--timezone', 'Europe/Berlin']);
  const json = await machine.run([...args, '--timezone', 'Europe/Berlin', '--json']);

  expect(stdout).toMatch(/^published 2019-01-01 +a\.md/m);
  expect(stdout).toMatch(/^published now +b\.md/m);
  expect(JSON.parse(json.stdout)[0]).toMatchObject({ body: { publishedAt: '2018-12-31T23:00:00Z' } });
});

test('what Hugo and Zola make no page of is skipped, and created if it is given alone', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, {
    'posts/_index.md': 'All about ink',
    'posts/_index.de.md': '---\ntitle: D\n---\n',
    'posts/a.md': 'A',
    'posts/spring/index.md': yaml('title: Spring'),
    'posts/spring/index.de.md': yaml('title: Frühling'),
    'posts/spring/notes.md': 'For me alone',
    'posts/autumn/index.md': yaml('title: Autumn'),
    'posts/autumn/notes.md': 'For me, too',
    'posts/autumn/second.md': yaml('title: Second'),
    'plain/index.md': 'A list',
    'plain/ink.md': 'Ink',
  });

  const plan = await machine.run(['blog', 'create', 'posts/**/*.md', '--dry-run']);
  const result = await machine.run(['blog', 'create', '**/*.md', '--json']);
  const alone = await machine.run(['blog', 'create', 'posts/_index.md']);

  expect(plan.stdout).toContain(
    'posts/_index.md\n  skipped: the page of a folder in Hugo and Zola; given alone, it is created\n',
  );
  expect(plan.stdout).toContain('posts/_index.de.md\n  skipped: nothing but front matter\n');
  expect(plan.stdout).toMatch(/^posts\/spring\/notes\.md\n {2}skipped: a part of the post in its folder/m);
  expect(plan).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('5 to create (draft), 4 skipped'),
  });
  expect(result.exitCode).toBe(0);
  const skipped = JSON.parse(result.stdout).filter((one: { outcome: string }) => one.outcome === 'skipped');
  expect(skipped).toMatchObject([
    { file: 'posts/_index.de.md', code: 'no_content' },
    { file: 'posts/_index.md', code: 'not_a_post' },
    { file: 'posts/autumn/notes.md', code: 'not_a_post' },
    { file: 'posts/spring/notes.md', code: 'not_a_post' },
  ]);
  expect(alone).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toEqual(
    ['a', 'autumn', 'ink', 'plain', 'posts', 'second', 'spring', 'spring-de'].sort(),
  );
});

test('tags of templates and images of the blog, which are sent as they are, are named before posts are public', async () => {
  const { machine } = await setScene();
  writeFiles(machine, {
    'a.md':
      'Ink\n\n{% highlight ruby %}\nputs 1\n{% endhighlight %}\n\n![Ink]({{ site.baseurl }}/assets/ink.jpg)\n',
    'b.md': 'Paper {{< figure src="a.jpg" >}}\n\n<p><img alt="x" src="b.png"></p>\n',
    'c.md':
      'As `{{ this }}` or\n\n```liquid\n{% raw %}\n![x](y.png)\n```\n\n![CDN](https://cdn.example/x.png)\n',
    'd.md': '![Ink](/assets/d.jpg)',
  });

  const plan = await machine.run(['blog', 'create', '*.md', '--status', 'published', '--dry-run']);
  const one = await machine.run(['blog', 'create', 'c.md', 'd.md', '--dry-run']);
  const json = await machine.run(['blog', 'create', 'c.md', 'd.md', '--dry-run', '--json']);

  expect(plan.stderr).toContain(
    'Warning: 2 posts have template tags such as {% highlight ruby %}, which stay in the text.\n',
  );
  expect(plan.stderr).toContain(
    'Warning: 3 posts have images of the blog such as {{ site.baseurl }}/assets/ink.jpg, which are not uploaded.\n',
  );
  expect(one.stderr).not.toContain('template');
  expect(one.stderr).toContain('Warning: 1 post has images of the blog such as /assets/d.jpg, which');
  expect(JSON.parse(json.stdout)).toMatchObject([
    { file: 'c.md', leftInText: { template: null, image: null } },
    { file: 'd.md', leftInText: { template: null, image: '/assets/d.jpg' } },
  ]);
});

test('what is wrong in a file is said once, with a way out', async () => {
  const { machine } = await setScene();
  writeFiles(machine, {
    'a/ink.md': 'A',
    'b/ink.md': 'B',
    'a/empty.md': '',
    'c.md': yaml('title: C', 'title: D'),
    'd.md': yaml('date: 31.12.2020'),
    'e.md': yaml('date: Easter'),
  });
  writeFileSync(path.join(machine.folder, 'latin.md'), Buffer.from('Caf\xe9', 'latin1'));
  const args = ['blog', 'create', '**/*.md'];

  const refused = await machine.run(args);
  const plan = await machine.run([...args, '--dry-run']);

  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('a/ink.md: slug is the same in another file ("ink" in b/ink.md)\n');
  expect(refused.stderr).toContain('c.md:3: title is set twice, in lines 2 and 3\n');
  expect(refused.stderr).toContain('latin.md: is not UTF-8 text\n');
  expect(refused.stderr.match(/--slug-prefix/g)).toHaveLength(1);
  expect(refused.stderr).toContain('d.md:2: date cannot be read as a date (got "31.12.2020")\n');
  expect(refused.stderr.match(/write dates as 2024-01-31/g)).toHaveLength(1);
  expect(refused.stderr).toContain('save it as UTF-8');
  expect(refused.stderr).not.toContain('--skip-invalid');
  expect(plan.stdout).toContain('latin.md\n  is not UTF-8 text\na/empty.md\n  skipped: the file is empty\n');
  expect(plan.stderr).toContain('Fix the invalid files.\n');
});

test('dates are kept by the service, and a draft stays one whatever a flag says', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, {
    '2013-05-06-old.md': 'Old',
    '_drafts/idea.md': 'Idea',
    'secret.md': '{\n"draft": true\n}\nSecret',
    'later.md': yaml('date: 2090-01-02'),
  });

  await machine.run(['blog', 'create', '**/*.md', '--status', 'published', '--timezone', 'Europe/Berlin']);

  const { posts } = await tables(service);
  const bySlug = Object.fromEntries(posts.map((post) => [post.slug, post]));
  expect(bySlug).toMatchObject({
    old: { status: 'published', publishedAt: '2013-05-05T22:00:00.000Z', contentMd: 'Old' },
    idea: { status: 'draft' },
    secret: { status: 'draft', contentMd: 'Secret' },
    later: { status: 'scheduled', scheduledAt: '2090-01-01T23:00:00.000Z' },
  });
});

test('the same command sends nothing again, in another time zone and when a scheduled day has come', async () => {
  const { proxy, machine } = await setScene();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  writeFiles(machine, {
    'a.md': yaml('date: 2020-01-02'),
    'b.md': yaml(`date: ${tomorrow}`),
    'c.md': yaml('status: scheduled', `scheduledAt: ${tomorrow}`),
  });
  const args = ['blog', 'create', '*.md', '--status', 'published'];
  expect(await machine.run([...args])).toMatchObject({ exitCode: 0 });
  const before = proxy.writes().length;

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const later = await machine.run([...args, '--timezone', 'Asia/Tokyo']);
  const own = await machine.run(['blog', 'create', '*.md']);

  expect(later).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 already created') });
  expect(own).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 already created') });
  expect(proxy.writes()).toHaveLength(before);
});

test('posts that exist as drafts are not published by the same command with another status, which is said', async () => {
  const { machine } = await setScene();
  writeFiles(machine, { 'a.md': 'A', 'b.md': 'B' });
  await machine.run(['blog', 'create', '*.md']);

  const { stderr } = await machine.run(['blog', 'create', '*.md', '--status', 'published', '--dry-run']);

  expect(stderr).toContain('Warning: a.md and 1 more: created earlier as a draft; posts cannot be edited.');
});

test('a service that makes the slugs gets no post twice', async () => {
  const { server, machine } = await setScene({ answers: [answer(201, { id: 'p-1', slug: 'made' })] });
  writeFiles(machine, { 'a.md': 'A' });
  const args = ['blog', 'create', 'a.md', '--leave-out', 'slug'];

  await machine.run(args);
  const again = await machine.run(args);

  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('1 already created') });
  const posts = server.requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ body }) => JSON.parse(body))).toEqual([{ title: 'A', contentMd: 'A' }]);
});

test.each([
  [['--timezone', 'Berlin'], 'unknown time zone "Berlin"'],
  [['--slug-prefix', '-'], '--slug-prefix needs a letter or digit'],
  [['--slug-prefix', 'x', '--slug', 'y'], '--slug and --slug-prefix cannot be used together'],
  [['--leave-out', 'publisedAt'], 'did you mean publishedAt?'],
  [['--leave-out', 'draft'], '--leave-out draft: not a field that can be left out'],
  [['--leave-out', 'title'], 'not a field that can be left out'],
  [['--send', 'Status'], '--send status: it is sent already'],
])('%j is exit 2', async (flags, problem) => {
  const { server, machine } = await setScene({ answers: [] });
  writeFiles(machine, { 'a.md': yaml('draft: true') });

  const result = await machine.run(['blog', 'create', 'a.md', ...flags]);

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(server.requests).toEqual([]);
});

test('options for files need a file', async () => {
  const { machine } = await setScene({ answers: [] });
  const result = await machine.run(['blog', 'create', '--title', 'T', '--content-md', 'x', '--skip-invalid']);
  expect(result).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--skip-invalid is for files'),
  });
});

test('a service that refuses a field of the files: what to add is said', async () => {
  const errors = [{ pointer: '/publishedAt', code: 'unknown_field', detail: 'is not a field' }];
  const { server, machine } = await setScene({
    answers: [
      answer(422, { code: 'validation_failed', errors }),
      answer(201, { id: 'p-1', slug: 'a', title: 'A' }),
    ],
  });
  writeFiles(machine, { 'a.md': yaml('title: A', 'date: 2020-01-02') });
  const args = ['blog', 'create', 'a.md', '--status', 'published'];

  const refused = await machine.run(args);
  const again = await machine.run([...args, '--leave-out', 'publishedAt']);

  expect(refused).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('or add --leave-out publishedAt'),
  });
  expect(again.exitCode).toBe(0);
  const sent = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
  expect(sent).toMatchObject([{ publishedAt: '2020-01-02T00:00:00Z' }, { status: 'published' }]);
  expect(sent[1]).not.toHaveProperty('publishedAt');
});

test('a status that publishes is refused where every file is a draft: a draft by mistake cannot be edited', async () => {
  const { proxy, machine } = await setScene();
  writeFiles(machine, { 'a.md': '{\n"draft": true\n}\nSecret', '_drafts/b.md': 'B', 'c.md': 'C' });

  const one = await machine.run(['blog', 'create', 'a.md', '--status', 'published']);
  const two = await machine.run(['blog', 'create', 'a.md', '_drafts/b.md', '--status', 'published']);
  expect(one).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a.md says that it is a draft') });
  expect(two).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('all 2 files say that they are drafts'),
  });
  expect(proxy.requests).toEqual([]);

  const drafts = await machine.run(['blog', 'create', 'a.md']);
  const skipping = await machine.run([
    'blog',
    'create',
    '_drafts/*.md',
    '--status',
    'published',
    '--skip-invalid',
  ]);
  const mixed = await machine.run(['blog', 'create', '**/*.md', '--status', 'published']);
  expect([drafts, skipping, mixed].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  const statuses = proxy.writes().map(({ body }) => JSON.parse(body).status);
  expect(statuses).toEqual(['draft', 'draft', 'published']);
});

test('a link that leads out of its folder is no post, so that nobody publishes a secret by adding one', async () => {
  const { proxy, machine } = await setScene();
  mkdirSync(path.join(machine.folder, 'posts'));
  writeFiles(machine, { 'token.md': 'TOKEN', 'posts/here.md': '# Here\n\nText\n' });
  symlinkSync('../token.md', path.join(machine.folder, 'posts', 'away.md'));
  symlinkSync('here.md', path.join(machine.folder, 'posts', 'same.md'));

  const all = await machine.run(['blog', 'create', 'posts/*.md', '--dry-run']);
  expect(all.exitCode).toBe(2);
  expect(all.stderr + all.stdout).toContain('is a symbolic link to a file outside of its folder');
  const alone = await machine.run(['blog', 'create', 'posts/away.md', '--title', 'Away']);
  expect(alone).toMatchObject({ exitCode: 2 });
  expect(alone.stderr).toContain('name the file itself, or copy it into the folder');
  expect(proxy.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  const link = await machine.run(['blog', 'create', 'posts/same.md', '--dry-run']);
  expect(link).toMatchObject({ exitCode: 0 });
});
