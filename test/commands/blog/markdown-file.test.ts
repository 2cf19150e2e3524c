import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseMarkdownPost, slugOfFile } from '../../../src/commands/blog/bulk/markdown-file.ts';
import { tables, writeFiles } from '../../helpers/bulk.ts';
import { answer } from '../../helpers/fault-server.ts';
import { fakeService, startStore } from '../../helpers/scene.ts';

async function scene() {
  const { server, machine } = await fakeService(answer(201, { id: 'p-1', slug: 's' }));
  const sent = () => server.requests.map(({ body }) => JSON.parse(body));
  return { server, machine, sent };
}

test('front matter, heading and text become a post of the service', async () => {
  const { service, machine } = await startStore();
  writeFiles(machine, {
    'Spring Sale.md':
      '---\ntags: [ink, news]\nstatus: published\nexcerpt: Short.\n---\n\n# Spring *sale*\n\nAll inks.\n',
  });

  const result = await machine.run(['blog', 'create', 'Spring Sale.md', '--json']);

  expect(result.exitCode).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject([{ outcome: 'applied', slug: 'spring-sale' }]);
  expect((await tables(service)).posts.at(-1)).toMatchObject({
    title: 'Spring *sale*',
    contentMd: '# Spring *sale*\n\nAll inks.\n',
    status: 'published',
  });
});

test('flags override front matter, and unknown fields are sent unchanged', async () => {
  const { machine, sent } = await scene();
  writeFiles(machine, { 'post.md': '---\ntitle: Of the file\nmetaTitle: M\nseries: {part: 2}\n---\nText' });

  const result = await machine.run(['blog', 'create', 'post.md', '--title', 'Of the flag', '--set', 'x=1']);

  expect(result.exitCode).toBe(0);
  expect(sent()).toEqual([
    { title: 'Of the flag', metaTitle: 'M', series: { part: 2 }, x: 1, contentMd: 'Text', slug: 'post' },
  ]);
});

test('a file from standard input', async () => {
  const { machine, sent } = await scene();

  const result = await machine.run(['blog', 'create', '-'], { stdin: '\ufeff# Title #\r\n\r\nText\r\n' });

  expect(result.exitCode).toBe(0);
  expect(sent()).toEqual([{ title: 'Title', contentMd: '# Title #\r\n\r\nText\r\n' }]);
});

test.each([
  ['empty.md', '', 'empty.md: the content is empty'],
  ['blank.md', '\n \n', 'blank.md: the content is empty'],
  ['fields.md', '---\ntitle: T\n---\n', 'fields.md: the content is empty'],
  ['post.md', 'No heading.', 'post.md:1: title is missing'],
  ['tags.md', '---\ntitle: T\ntags: ink\n---\nText', 'tags.md:3: tags'],
  ['!!.md', '# T\n\nText', '!!.md: cannot make a slug from this file name'],
])('what is wrong in the one file %s is exit 2 with its name and line', async (name, text, problem) => {
  const { server, machine } = await scene();
  writeFiles(machine, { [name]: text });
  const result = await machine.run(['blog', 'create', name]);
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(await machine.run(['blog', 'create', name, '--set', 'tags=1'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--tags'),
  });
  expect(server.requests).toEqual([]);
});

test('nothing on standard input is no post: exit 2', async () => {
  const { machine } = await scene();
  expect(await machine.run(['blog', 'create', '-'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('standard input: the content is empty'),
  });
});

test('--edit needs a terminal, and sends nothing without one', async () => {
  const { server, machine } = await scene();
  writeFiles(machine, { 'post.md': '# T\n\nText' });

  const result = await machine.run(['blog', 'create', 'post.md', '--edit'], {
    env: { EDITOR: 'touch ran;' },
  });

  expect(result.exitCode).toBe(3);
  expect(server.requests).toEqual([]);
  expect(() => readFileSync(path.join(machine.folder, 'ran'))).toThrow('ENOENT');
});

const notYaml = 'post.md:1: front matter must be YAML between lines of ---';

test.each([
  ['---js\nmodule.exports = {title: process.exit(9)}\n---\nText', `${notYaml} (found "---js`],
  ['--- yaml\ntitle: x\n---\nText', `${notYaml} (found "--- yaml`],
  ['+++\ntitle = "x"\n+++\nText', `${notYaml} (found "+++`],
  ['---\ntitle: x\nText', 'post.md:1: the front matter has no closing ---'],
  ['---\ntitle: x\ntags: [a\n---\nText', 'post.md:4:'],
  ['---\ntitle: x\ntitle: y\n---\nText', 'post.md:3:'],
  ['---\n\ntitle: !!js/function "function () {}"\n---\nText', 'post.md:3:'],
  ['---\ntitle: x\n? [a, b]\n: 1\n---\nText', 'post.md:3: invalid YAML (the name of a field must be text)'],
  ['---\n- a\n---\nText', 'post.md:2: front matter must be lines of "name: value"'],
  ['---\ntitle: x\ncontentMd: y\n---\nText', 'post.md:3: contentMd'],
])('front matter that is not plain YAML is refused with its line: %j', async (text, problem) => {
  const { server, machine } = await scene();
  writeFiles(machine, { 'post.md': text });

  const result = await machine.run(['blog', 'create', 'post.md']);

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(server.requests).toEqual([]);
});

test.each([
  ['# A\n\ntext', 'A'],
  ['intro\n\n#  A b  ##\n', 'A b'],
  ['## second\n\n# First', 'First'],
  ['```\n# comment\n```\n\n# Real', 'Real'],
  ['~~~~\n```\n# no\n~~~~\n# Yes', 'Yes'],
  ['#hashtag\n', undefined],
  ['    # code\n', undefined],
  ['---\ntitle:\n---\n# Heading', 'Heading'],
  ['---\n---\n# Heading', 'Heading'],
  ['---\ntitle: 2030-01-31\n---\n# Heading', '2030-01-31'],
])('the title of %j', async (text, title) => {
  expect((await parseMarkdownPost(text, 'post.md')).fields.title).toBe(title);
});

test.each([
  ['posts/Hello World.md', 'hello-world'],
  ['posts/2024-01-31-Über uns.markdown', 'uber-uns'],
  ['posts/spring-sale/index.md', 'spring-sale'],
  ['posts/お知らせ.md', 'お知らせ'],
  ['posts/….md', ''],
])('the slug of %s is %j', (file, slug) => {
  expect(slugOfFile(file)).toBe(slug);
});
