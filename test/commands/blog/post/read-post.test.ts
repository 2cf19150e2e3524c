import { expect, test } from 'vitest';
import type { Mapping } from '../../../../src/commands/blog/post/map-fields.ts';
import { readPost } from '../../../../src/commands/blog/post/read-post.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const mapping: Mapping = { now, timeZone: 'UTC', slugPrefix: '', send: [], leaveOut: [], common: {} };

const read = (text: string, options: Partial<Mapping> & { readonly file?: string } = {}) =>
  readPost(text, options.file ?? '/blog/posts/post.md', { ...mapping, ...options });

const published = { common: { status: 'published' } };
const yaml = (...lines: readonly string[]) => `---\n${lines.join('\n')}\n---\nText\n`;

test.each([
  ['YAML', '---\ntitle: T\n---\nText\n'],
  ['YAML that ends with dots', '---\ntitle: T\n...\nText\n'],
  ['YAML that says so', '---yaml\ntitle: T\n---\nText\n'],
  ['TOML', '+++\ntitle = "T"\n+++\nText\n'],
  ['TOML between ---', '---toml\ntitle = "T"\n---\nText\n'],
  ['JSON', '{\n  "title": "T"\n}\nText\n'],
  ['JSON with braces in a text', '{"title": "T", "x": "}{"}\nText\n'],
  ['JSON that says so', '---json\n{"title": "T"}\n---\nText\n'],
  ['JSON between ;;;', ';;;\n{"title": "T"}\n;;;\nText\n'],
  ['lines of Windows', '---\r\ntitle: T\r\n---\r\n\r\nText\n'],
  ['a byte order mark', '\ufeff---\ntitle: T\n---\nText\n'],
  ['empty lines before', '\n \n---\ntitle: T\n---\n\nText\n'],
  ['lines without a mark', 'Title: T\nDate: 2020-01-02 10:00\n\nText\n'],
  ['such lines of Windows', 'title:   T\r\ntags: a, b\r\nsummary: a story:\r\n    of ink\r\n\r\nText\n'],
  ['comments before', '<!-- SPDX: x -->\n<!--\nmore\n-->\n\n---\ntitle: T\n---\nText\n'],
])('front matter: %s', async (_, text) => {
  expect(await read(text)).toMatchObject({ problem: null, body: { title: 'T', contentMd: 'Text\n' } });
});

test.each([
  '{{< figure src="x" >}}\n',
  '{% include x %}\n',
  '{: .lead}\nText\n',
  '<!-- note -->\nText\n',
  'Text\n\n---\n',
  'Title: T\n\nText\n',
  'Note: a text\nthat goes on\n\nText\n',
  'Date: today\nAuthor: me\n\nText\n',
])('no front matter: %j is the content as it is', async (text) => {
  expect(await read(text)).toMatchObject({ problem: null, body: { contentMd: text } });
});

test.each([
  ['draft: true', 'draft'],
  ['Draft: Yes', 'draft'],
  ['draft: 1', 'draft'],
  ['draft: false', 'published'],
  ['draft:', 'published'],
  ['isDraft: true', 'draft'],
  ['published: false', 'draft'],
  ['published: no', 'draft'],
  ['published: true', 'published'],
  ['published: 2020-01-02', 'published'],
  ['publish: off', 'draft'],
  ['dg-publish: false', 'draft'],
  ['hidden: true', 'draft'],
  ['unlisted: true', 'draft'],
  ['private: true', 'draft'],
  ['password: secret', 'draft'],
  ['visibility: members', 'draft'],
  ['visibility: public', 'published'],
  ['status: draft', 'draft'],
  ['status: pending', 'draft'],
  ['status: publish', 'published'],
  ['permalink: false', 'draft'],
  ['permalink: /a/b/', 'published'],
  ['build:\n  render: never', 'draft'],
  ['_build:\n  render: false', 'draft'],
  ['build:\n  render: always', 'published'],
  ['expiryDate: 2026-02-28', 'draft'],
  ['expiryDate: 2026-03-02', 'published'],
  ['publisher: Ink & Sons', 'published'],
])('with --status published, %j is %s', async (field, status) => {
  expect(await read(yaml(field), published)).toMatchObject({ problem: null, body: { status } });
});

test.each([
  ['draft = true', '+++\ndraft = true\n+++\nText'],
  ['"draft": true', '{"draft": true}\nText'],
])('a draft in another language: %s', async (_, text) => {
  expect((await read(text, published)).body.status).toBe('draft');
});

test.each(['/blog/_drafts/a.md', '/blog/_drafts/2020/a.md', '/blog/drafts/a/index.md'])(
  'a file in %s is a draft',
  async (file) => {
    expect((await read('Text', { ...published, file })).body).toMatchObject({ status: 'draft' });
  },
);

test.each([
  ['staus: draft', 'staus', 'looks mistyped (did you mean status?)'],
  ['darft: true', 'darft', 'looks mistyped (did you mean draft?)'],
  ['pubished: false', 'pubished', 'looks mistyped (did you mean published?)'],
  ['status: wip', 'status', 'must be draft, scheduled or published'],
  ['draft: maybe', 'draft', 'must be true or false'],
  ['hidden: [home]', 'hidden', 'must be true or false'],
  ['expiryDate: soon', 'expiryDate', 'cannot be read as a date'],
  ['date: TBD', 'date', 'cannot be read as a date'],
  ['date: 08/07/2024', 'date', 'cannot be read as a date'],
  ['date: 2024-02-30', 'date', 'cannot be read as a date'],
])(
  'what may mean that a post is not public and cannot be read is an error: %j',
  async (text, field, reason) => {
    expect((await read(yaml('title: T', text), published)).problem).toMatchObject({ line: 3, field, reason });
  },
);

test.each([
  ['2013-05-06 2:12:52 +0200', '2013-05-06T00:12:52Z'],
  ['2013-05-06T02:12:52.123456Z', '2013-05-06T02:12:52.123Z'],
  ['2013-5-6', '2013-05-06T00:00:00Z'],
  ['2013/05/06 10:00', '2013-05-06T10:00:00Z'],
  ['2013-05-06 10:00:00 -5', '2013-05-06T15:00:00Z'],
  ['2013-05-06 10:00:00 UTC', '2013-05-06T10:00:00Z'],
  ['Jul 08 2024', '2024-07-08T00:00:00Z'],
  ['"July 8th, 2024 9:30 PM"', '2024-07-08T21:30:00Z'],
  ['8 Sept 2024', '2024-09-08T00:00:00Z'],
  ['"Mon, 08 Jul 2024 10:00:00 GMT"', '2024-07-08T10:00:00Z'],
  ['Mon Jul 08 2024 10:00:00 GMT+0200 (CEST)', '2024-07-08T08:00:00Z'],
])('the date %s', async (date, publishedAt) => {
  expect(await read(yaml(`date: ${date}`), published)).toMatchObject({
    problem: null,
    body: { publishedAt },
  });
});

test.each([
  ['Europe/Berlin', '2024-07-08', '2024-07-07T22:00:00Z'],
  ['Europe/Berlin', '2024-01-08 12:00', '2024-01-08T11:00:00Z'],
  ['Europe/Berlin', '2024-01-08T12:00:00Z', '2024-01-08T12:00:00Z'],
  ['Asia/Kolkata', '2024-03-31 02:30', '2024-03-30T21:00:00Z'],
  ['America/New_York', '2024-11-03 12:00', '2024-11-03T17:00:00Z'],
])('in the zone %s, %s is %s', async (timeZone, date, publishedAt) => {
  expect((await read(yaml(`date: ${date}`), { ...published, timeZone })).body.publishedAt).toBe(publishedAt);
});

test.each([
  ['publishDate: 2020-01-02\ndate: 2021-01-02', '/b/2019-01-02-a.md', '2020-01-02'],
  ['published_at: 2020-01-02\npubDate: 2021-01-02', '/b/a.md', '2020-01-02'],
  ['title: T', '/b/2019-01-02-a.md', '2019-01-02'],
  ['title: T', '/b/2019-01-02-a/index.md', '2019-01-02'],
  ['title: T', '/b/2019/01/02/a.md', '2019-01-02'],
  ['title: T', '/b/2019/01/02/a/index.md', '2019-01-02'],
  ['permalink: /2018/01/02/a/', '/b/a.md', '2018-01-02'],
  ['path: 2018/01/02/a', '/b/a.md', '2018-01-02'],
  ['date:', '/b/2019-01-02-a.md', '2019-01-02'],
  ['date: 0001-01-01T00:00:00Z', '/b/2019-01-02-a.md', '2019-01-02'],
])('the date of %j in %s', async (fields, file, day) => {
  expect((await read(yaml(fields), { ...published, file })).body.publishedAt).toBe(`${day}T00:00:00Z`);
});

test('a date that is held back is not sent, and need not be one', async () => {
  const past = yaml('date: 2020-01-02');
  const wrong = yaml('date: 2021-02-29');
  const file = '/b/2019-01-02-a.md';

  expect((await read(wrong, published)).problem).toMatchObject({ field: 'date' });
  for (const text of [past, wrong]) {
    for (const held of ['date', 'publishedAt']) {
      const { body, problem, leftOut } = await read(text, { ...published, leaveOut: [held] });
      expect({ body, problem, leftOut }).toEqual({
        body: { title: 'Post', slug: 'post', contentMd: 'Text\n', status: 'published' },
        problem: null,
        leftOut: ['date'],
      });
    }
  }
  const common = { status: 'published', publishedAt: '2021-02-28T00:00:00Z' };
  expect(await read(wrong, { common })).toMatchObject({ problem: null, body: common });
  expect((await read(wrong, { ...published, file, leaveOut: ['date'] })).body).toMatchObject({
    publishedAt: '2019-01-02T00:00:00Z',
  });
});

test('a name that begins with an invalid date is an error', async () => {
  const { problem } = await read('Text', { ...published, file: '/b/2022-02-30-a.md' });
  expect(problem).toMatchObject({
    field: 'date',
    reason: 'in the file name is not a date',
    detail: 'got "2022-02-30"',
  });
  expect(
    (await read(yaml('date: 2022-03-02'), { ...published, file: '/b/2022-02-30-a.md' })).problem,
  ).toBeNull();
});

test('the date of a folder high above says nothing about a post', async () => {
  const { body } = await read('Text', { ...published, file: '/backups/2026/01/02/blog/posts/a.md' });
  expect(body).not.toHaveProperty('publishedAt');
});

test('a future date schedules a post, drafts have no date, and a date without a time does not publish it early', async () => {
  const later = yaml('date: 2026-03-02');
  expect((await read(later, published)).body).toEqual({
    contentMd: 'Text\n',
    slug: 'post',
    title: 'Post',
    status: 'scheduled',
    scheduledAt: '2026-03-02T00:00:00Z',
  });
  expect(await read(later)).toMatchObject({ losesDate: true, body: { contentMd: 'Text\n' } });
  expect((await read(later)).body).not.toHaveProperty('scheduledAt');
  expect((await read(yaml('date: 2020-01-02', 'draft: true'), published)).body).not.toHaveProperty(
    'publishedAt',
  );
  expect((await read(later, { ...published, leaveOut: ['scheduledAt'] })).body).toMatchObject({
    status: 'draft',
  });
  expect((await read(later, { ...published, leaveOut: ['date'] })).body).toMatchObject({
    status: 'scheduled',
  });
  expect((await read(later, { ...published, send: ['date'] })).body).toMatchObject({
    status: 'scheduled',
    date: '2026-03-02',
  });
});

test.each([
  ['tags: ink', ['ink']],
  ['tags: ink paper', ['ink', 'paper']],
  ['tags: red ink, paper', ['red ink', 'paper']],
  ['category: red ink', ['red ink']],
  ['tags: [2024, 1.10, 2024-01-02, true]', ['2024', '1.10', '2024-01-02', 'true']],
  ['tags: [Ink, ink, " "]\ncategories: [INK, Paper]', ['Ink', 'Paper']],
  ['categories: [[Tools, Pens], [Ink]]', ['Tools', 'Pens', 'Ink']],
  ['tags: [{name: Ink, slug: i}, {label: Paper}]', ['Ink', 'Paper']],
  ['tags:', undefined],
  ['tags: []', undefined],
  ['tags: ""', undefined],
])('the tags of %j', async (fields, tags) => {
  expect((await read(yaml(fields))).body.tags).toEqual(tags);
});

test('the tags of a taxonomy in TOML', async () => {
  const text = '+++\n[taxonomies]\ntags = ["ink", 2024]\ncategories = ["paper"]\n+++\nText';
  expect(await read(text)).toMatchObject({ leftOut: [], body: { tags: ['ink', '2024', 'paper'] } });
});

test.each([
  ['title: 1.10', '1.10'],
  ['title: 2030-01-31', '2030-01-31'],
  ['title: "Ink: a story"', 'Ink: a story'],
  ['title: >\n  Two\n  lines', 'Two lines'],
  ['TITLE: Loud', 'Loud'],
])('the title of %j', async (field, title) => {
  expect((await read(yaml(field))).body.title).toBe(title);
});

test.each([
  ['# A\n\ntext', 'A'],
  ['intro\n\n#  A b  ##\n', 'A b'],
  ['## second\n\n# First', 'First'],
  ['Under\n=====\n', 'Under'],
  ['<h1 align="center">\n  My <b>shop</b>\n</h1>\n', 'My shop'],
  ['```\n# comment\n```\n\n# Real', 'Real'],
  ['~~~~\n```\n# no\n~~~~\n# Yes', 'Yes'],
  ['<!--\n# Checklist\n-->\n# Real', 'Real'],
  ['{/*\n# Checklist\n*/}\n# Real', 'Real'],
  ['```html\n<!--\n```\n# Real\n', 'Real'],
  ['# [Ink](https://x.example/a_(b)) **and** `pens` ![logo](x.png)', 'Ink and pens logo'],
  ['# snake_case & 2 * 3 * 4 \\# &amp; <br>', 'snake_case & 2 * 3 * 4 # &'],
  ['# Ink {#ink}', 'Ink'],
  ['#hashtag\n', 'My notes'],
  ['    # code\n', 'My notes'],
  ['---\ntitle:\n---\n# Heading', 'Heading'],
  ['---\n---\n# Heading', 'Heading'],
  ['No heading', 'My notes'],
])('the title in %j', async (text, title) => {
  expect((await read(text, { file: '/blog/2020-01-02-my_notes.md' })).body.title).toBe(title);
});

test.each([
  ['/b/Hello World.md', 'title: T', 'hello-world'],
  ['/b/2024-01-31-Über uns.markdown', 'title: T', 'über-uns'],
  ['/b/spring-sale/index.md', 'title: T', 'spring-sale'],
  ['/b/spring-sale/_index.md', 'title: T', 'spring-sale'],
  ['/b/spring-sale/README.md', 'title: T', 'spring-sale'],
  ['/b/spring-sale/index.de.md', 'title: T', 'spring-sale-de'],
  ['/b/2024-01-31-sale/index.md', 'title: T', 'sale'],
  ['/b/お知らせ.md', 'title: T', 'お知らせ'],
  ['/b/a.md', 'slug: Own Slug', 'own-slug'],
  ['/b/a.md', 'slug: /docs/deep', 'deep'],
  ['/b/a.md', 'slug: 007', '007'],
  ['/b/a.md', 'permalink: /2020/01/02/kept.html', 'kept'],
  ['/b/a.md', 'permalink: /blog/:title/', 'a'],
  ['/b/a.md', 'permalink: "/{{ title | slug }}/"', 'a'],
  ['/b/a.md', 'permalink: pretty', 'a'],
  ['/b/a.md', 'url: https://x.example/kept/?a=b#c', 'kept'],
  ['/b/a.md', 'path: /blog/kept/index.html', 'kept'],
  ['/b/a.md', 'slug: "%E3%81%82"', 'あ'],
  ['/b/a.md', 'slug: own\npermalink: /other/', 'own'],
])('the slug of %s with %j is %s', async (file, fields, slug) => {
  expect(await read(yaml(fields), { file })).toMatchObject({ problem: null, slug, body: { slug } });
});

test('what blog programs call the excerpt, and what stays behind', async () => {
  const text = yaml(
    'layout: post',
    'Description: Short.',
    'summary: Other',
    'meta_title: M',
    'author: {name: me}',
    'tilte: x',
  );
  const { body, leftOut } = await read(text, { common: {} });
  expect(body).toEqual({
    contentMd: 'Text\n',
    slug: 'post',
    title: 'Post',
    excerpt: 'Short.',
    metaTitle: 'M',
  });
  expect(leftOut).toEqual(['layout', 'author', 'tilte']);
});

test('fields are sent as they are, or held back', async () => {
  const text = yaml(
    'layout: post',
    'weight: 12',
    'categories: [a]',
    'tags: [b]',
    'date: 2020-01-02',
    'description: Short.',
  );
  expect(
    await read(text, { ...published, send: ['Weight', 'layout'], leaveOut: ['publishedAt', 'categories'] }),
  ).toMatchObject({
    leftOut: ['categories', 'date'],
    body: { layout: 'post', weight: 12, tags: ['b'], excerpt: 'Short.', status: 'published' },
  });
  const held = await read(text, { ...published, leaveOut: ['publishedAt', 'excerpt', 'slug'] });
  expect(Object.keys(held.body).sort()).toEqual(['contentMd', 'status', 'tags', 'title']);
  expect(held.slug).toBe('post');
});
