import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tables, writeFiles } from '../../../helpers/bulk.ts';
import { answer, type FaultServer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';

const created = answer(201, { id: 'p-1', slug: 's' });
const sentTo = ({ requests }: FaultServer) => requests.map(({ body }) => JSON.parse(body));

test('front matter, heading and text become a post of the service', async () => {
  const { service, machine } = await setScene();
  writeFiles(machine, {
    'Spring Sale.md':
      '---\ntags: [ink, news]\nstatus: published\nexcerpt: Short.\n---\n\n# Spring *sale*\n\nAll inks.\n',
  });

  const result = await machine.run(['blog', 'create', 'Spring Sale.md', '--json']);

  expect(result.exitCode).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject([{ outcome: 'applied', slug: 'spring-sale' }]);
  expect((await tables(service)).posts.at(-1)).toMatchObject({
    title: 'Spring sale',
    contentMd: '# Spring *sale*\n\nAll inks.\n',
    status: 'published',
  });
});

test('flags override front matter, and its other fields stay behind unless they are asked for', async () => {
  const { server, machine } = await setScene({ answers: [created] });
  writeFiles(machine, { 'post.md': '---\ntitle: Of the file\nmetaTitle: M\nseries: {part: 2}\n---\nText' });

  const flags = ['--title', 'Of the flag', '--set', 'x=1'];
  const result = await machine.run(['blog', 'create', 'post.md', ...flags]);
  const other = await machine.run(['blog', 'create', 'post.md', '--send', 'Series', '--slug-prefix', 'b-']);

  expect([result, other].map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(sentTo(server)).toEqual([
    { title: 'Of the flag', metaTitle: 'M', x: 1, contentMd: 'Text', slug: 'post' },
    { title: 'Of the file', metaTitle: 'M', series: { part: 2 }, contentMd: 'Text', slug: 'b-post' },
  ]);
});

test('a file from standard input', async () => {
  const { server, machine } = await setScene({ answers: [created] });

  const result = await machine.run(['blog', 'create', '-'], { stdin: '\ufeff# Title #\r\n\r\nText\r\n' });

  expect(result.exitCode).toBe(0);
  expect(sentTo(server)).toEqual([{ title: 'Title', contentMd: '# Title #\r\n\r\nText\r\n' }]);
});

test.each([
  ['tags.md', '---\ntitle: T\ntags: {ink: 1}\n---\nText', 'tags.md:3: tags must be a list of texts'],
  ['title.md', '---\ntitle: [a]\n---\nText', 'title.md:2: title must be text'],
  [
    'long.md',
    `---\nexcerpt: ${'x'.repeat(501)}\n---\nText`,
    'long.md:2: excerpt has more than 500 characters',
  ],
  ['cover.md', '---\ncoverImageId: x.png\n---\nText', 'cover.md:2: coverImageId must be a UUID'],
  ['!!.md', '# T\n\nText', '!!.md: slug cannot be made from the file name'],
])('what is wrong in the one file %s is exit 2 with its name and line', async (name, text, problem) => {
  const { server, machine } = await setScene({ answers: [created] });
  writeFiles(machine, { [name]: text });
  const result = await machine.run(['blog', 'create', name]);
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(await machine.run(['blog', 'create', name, '--set', 'tags=1'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--tags'),
  });
  expect(server.requests).toEqual([]);
});

test('a file without content is skipped and counted', async () => {
  const { server, machine } = await setScene({ answers: [created] });
  writeFiles(machine, {
    'empty.md': '',
    'blank.md': '\n \n',
    '_index.md': '---\ntitle: T\n---\n',
    'a.md': 'A',
  });

  const result = await machine.run(['blog', 'create', '*.md']);

  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 skipped') });
  expect(sentTo(server)).toEqual([{ title: 'A', contentMd: 'A', slug: 'a' }]);
});

test('nothing on standard input is no post: exit 2', async () => {
  const { machine } = await setScene({ answers: [created] });
  expect(await machine.run(['blog', 'create', '-'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('standard input: the content is empty'),
  });
});

test('--edit needs a terminal, and sends nothing without one', async () => {
  const { server, machine } = await setScene({ answers: [created] });
  writeFiles(machine, { 'post.md': '# T\n\nText' });

  const result = await machine.run(['blog', 'create', 'post.md', '--edit'], {
    env: { EDITOR: 'touch ran;' },
  });

  expect(result.exitCode).toBe(3);
  expect(server.requests).toEqual([]);
  expect(() => readFileSync(path.join(machine.folder, 'ran'))).toThrow('ENOENT');
});

const notKnown = 'post.md:1: front matter must be YAML between lines of ---, TOML between +++, or JSON';

test.each([
  ['---js\nmodule.exports = {title: process.exit(9)}\n---\nText', `${notKnown} (found "---js`],
  ['---\ntitle: x\nText', 'post.md:1: the front matter has no closing ---'],
  ['+++\ntitle = "x"\nText', 'post.md:1: the front matter has no closing +++'],
  ['\n\n{ "title": "x"\n\nText', 'post.md:3: the JSON front matter has no closing }'],
  ['---\ntitle: x\ntags: [a\n---\nText', 'post.md:3: invalid YAML: a bracket is not closed'],
  ['---\ntitle: x\ntitle: y\n---\nText', 'post.md:3: title is set twice, in lines 2 and 3'],
  ['+++\ntitle = "x"\ntitle = "y"\n+++\nText', 'post.md:3: title is set twice, in lines 2 and 3'],
  ['+++\ntitle = x\n+++\nText', 'post.md:2: invalid TOML: a text must be in quotes'],
  ['+++\ntitle: x\n+++\nText', 'post.md:2: invalid TOML: TOML has "name = value"'],
  ['+++\ntags = [\n"a"\n+++\nText', 'invalid TOML: not "name = value", or a bracket is not closed'],
  ['{\n"title": "x",\n"title": "y"\n}\nText', 'post.md:3: title is set twice, in lines 2 and 3'],
  ['{\n"title": "x", // why\n"draft": true\n}\nText', 'post.md:2: invalid JSON: a comment'],
  ['{ title: "x" }\nText', 'post.md:1: invalid JSON'],
  ['{"title": "x"} Text', 'post.md:1: the content must begin on a line after'],
  ['---\n\ntitle: !!js/function "function () {}"\n---\nText', 'post.md:3:'],
  ['---\ntitle: x\n? [a, b]\n: 1\n---\nText', 'post.md:3: invalid YAML: the name of a field must be text'],
  ['---\ntitle: Ink: a story\n---\nText', 'must be in quotes'],
  ['---\ntitle: [Ink]: a story\n---\nText', 'must be in quotes'],
  ['---\ntitle: x\ntags:\n\t- a\n---\nText', 'post.md:4: invalid YAML: a tab at its beginning'],
  ['---\n- a\n---\nText', 'post.md:2: front matter must be lines of "name: value"'],
  ['---\ntitle: x\ncontentMd: y\n---\nText', 'post.md:3: contentMd'],
])('what begins like front matter and cannot be read is refused with its line: %j', async (text, problem) => {
  const { server, machine } = await setScene({ answers: [created] });
  writeFiles(machine, { 'post.md': text });

  const result = await machine.run(['blog', 'create', 'post.md']);

  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(problem) });
  expect(server.requests).toEqual([]);
});
