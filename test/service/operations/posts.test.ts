import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFaults, faults, listEvents, openService } from '../helpers/service.ts';

test('a post with its two required fields is a draft with a slug of its title', async () => {
  const service = await openService();
  const contentMd = '# Über uns\r\n\n  kept *as sent*\u2028 😀\t';
  const answer = await service.call('blog.create', '', { title: 'Größe & Über uns!', contentMd });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('location')).toBe(`/v1/stores/${service.storeId}/blog/posts/${answer.body.id}`);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    title: 'Größe & Über uns!',
    slug: 'größe-über-uns',
    contentMd,
    tags: [],
    featuredProductIds: [],
    status: 'draft',
    effectiveStatus: 'draft',
    viewCount: 0,
    createdAt: '2030-03-01T12:00:00.000Z',
    updatedAt: '2030-03-01T12:00:00.000Z',
  });
  expect(await listEvents(service)).toEqual([
    {
      type: 'post_created',
      data: { postId: answer.body.id, title: 'Größe & Über uns!', status: 'draft' },
    },
  ]);
});

test('a post takes every optional field', async () => {
  const service = await openService();
  const post = {
    title: 'Sale',
    contentMd: '',
    slug: 'spring-sale',
    excerpt: 'Soon',
    coverImageId: '8c1f6f0e-5b7d-4a3c-9a52-6d1f0b7c2e11',
    tags: ['sale', 'spring'],
    featuredProductIds: ['1d9b6a34-0e6f-4b83-8a0c-93a5d2f4e7b8'],
    status: 'scheduled',
    metaTitle: 'Sale!',
    metaDescription: 'All must go',
  };
  const answer = await service.call('blog.create', '', { ...post, scheduledAt: '2030-04-01T09:00:00+02:00' });
  expect(answer.body).toMatchObject({
    ...post,
    scheduledAt: '2030-04-01T07:00:00.000Z',
    effectiveStatus: 'scheduled',
  });
});

test('a post that was published before keeps its time', async () => {
  const service = await openService();
  const post = { title: 'A', contentMd: 'x', status: 'published' };
  const call = (more: object) => service.call('blog.create', '', { ...post, ...more });
  expect((await call({ publishedAt: '2013-05-06T02:12:52+02:00' })).body).toMatchObject({
    status: 'published',
    publishedAt: '2013-05-06T00:12:52.000Z',
    createdAt: '2030-03-01T12:00:00.000Z',
  });
  expect((await call({ title: 'B', publishedAt: '2030-03-01T12:00:00Z' })).status).toBe(201);
  for (const [more, code] of [
    [{ publishedAt: '2030-03-01T12:00:01Z' }, 'too_big'],
    [{ publishedAt: '2013-05-06T02:12:52Z', status: 'draft' }, 'not_allowed'],
    [{ publishedAt: '2013-05-06' }, 'invalid_format'],
  ] as const) {
    expect(await call({ title: 'C', ...more })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/publishedAt', code }] },
    });
  }
});

test('a published post has its time', async () => {
  const service = await openService();
  const answer = await service.call('blog.create', '', { title: 'A', contentMd: 'x', status: 'published' });
  expect(answer.body).toMatchObject({
    effectiveStatus: 'published',
    publishedAt: '2030-03-01T12:00:00.000Z',
  });
});

test('a slug is unique in a store, whether given or derived', async () => {
  const service = await openService();
  const other = await openService({ storage: (await openService()).storage });
  const first = await service.call('blog.create', '', { title: 'Hello', contentMd: 'Hi' });
  expect(first.status).toBe(201);
  const made = await service.call('blog.create', '', { title: 'HELLO!', contentMd: '' });
  const given = await service.call('blog.create', '', { title: 'B', contentMd: '', slug: 'hello' });
  for (const answer of [made, given])
    expect(answer).toMatchObject({ status: 409, body: { code: 'slug_taken' } });
  // Without the text, which a key that writes posts may not read.
  expect(given.body.existing).toEqual({
    id: first.body.id,
    title: 'Hello',
    slug: 'hello',
    contentSha256: createHash('sha256').update('Hi').digest('hex'),
  });
  expect((await other.call('blog.create', '', { title: 'Hello', contentMd: '' })).status).toBe(201);
  expect(await listEvents(service)).toHaveLength(1);
});

test.each([
  ['日本語のタイトル', /^日本語のタイトル$/],
  ['🎉🎉', /^post-[0-9a-f]{12}$/],
  ['x'.repeat(200), /^x{120}$/],
  [`x${'𠮷'.repeat(199)}`, /^x𠮷{119}$/u],
])('the title %s makes a slug', async (title, slug) => {
  const service = await openService();
  const answer = await service.call('blog.create', '', { title, contentMd: '' });
  expect(answer.body.slug).toMatch(slug);
});

test('200 000 code points are allowed, one more is not', async () => {
  const service = await openService();
  const longest = await service.call('blog.create', '', { title: 'A', contentMd: '😀'.repeat(200_000) });
  expect(longest.status).toBe(201);
  const tooLong = await service.call('blog.create', '', { title: 'B', contentMd: 'x'.repeat(200_001) });
  expect(faults(tooLong)).toEqual(['/contentMd too_long']);
});

test('invalid fields of a post', async () => {
  const service = await openService();
  await expectFaults(service, 'blog.create', [
    [{}, ['/contentMd required', '/title required']],
    [{ title: ' ', contentMd: 1 }, ['/contentMd invalid_type', '/title too_short']],
    [
      { title: 'A', contentMd: '', slug: 'Über', author: 'me' },
      ['/author unknown_field', '/slug invalid_format'],
    ],
    [{ title: 'A', contentMd: '', status: 'scheduled' }, ['/scheduledAt required']],
    [
      { title: 'A', contentMd: '', status: 'scheduled', scheduledAt: '2030-03-01T12:00:00Z' },
      ['/scheduledAt too_small'],
    ],
    [{ title: 'A', contentMd: '', scheduledAt: '2031-01-01T00:00:00Z' }, ['/scheduledAt not_allowed']],
    [{ title: 'A', contentMd: '', scheduledAt: 'tomorrow' }, ['/scheduledAt invalid_format']],
    [{ title: 'A', contentMd: '', status: 'live' }, ['/status invalid_value']],
    [{ title: 'A', contentMd: '', tags: ['a', 'b', 'a'] }, ['/tags/2 duplicate']],
    [{ title: 'A', contentMd: '', featuredProductIds: ['x'] }, ['/featuredProductIds/0 invalid_format']],
  ]);
});
