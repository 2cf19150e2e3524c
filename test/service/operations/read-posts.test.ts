import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openService } from '../helpers/service.ts';
import { backUp, ids, make, page, pages, read, restore } from './read-pages.ts';

describe('the blog', () => {
  test('lists posts with a checksum in place of their content', async () => {
    const service = await openService();
    const contentMd = '# Größe 😀';
    const { body } = await service.call('blog.create', '', { title: 'A', contentMd, tags: ['x'] });
    const { contentMd: _, ...rest } = body;
    const contentSha256 = createHash('sha256').update(contentMd).digest('hex');

    expect((await page(service, 'blog.list')).items).toEqual([{ ...rest, contentSha256 }]);
  });

  test('finds a post by its slug', async () => {
    const service = await openService();
    const { id, slug } = (await service.call('blog.create', '', { title: 'Größe', contentMd: '' })).body;
    await make(service, 'blog.list');

    expect(ids((await page(service, 'blog.list', { slug })).items)).toEqual([id]);
    expect((await page(service, 'blog.list', { slug: 'none' })).items).toEqual([]);
  });

  test('shows a post where its Location says', async () => {
    const service = await openService();
    const created = await service.call('blog.create', '', { title: 'A', contentMd: 'x' });
    const shown = await service.send('GET', created.headers.get('location') ?? '');

    expect(shown).toMatchObject({ status: 200, body: created.body });
    expect((await read(service, 'blog.show', {}, { target: 'none' })).status).toBe(404);
  });

  test('publishes a scheduled post when its time has come', async () => {
    const service = await openService();
    const scheduledAt = '2030-03-01T13:00:00.000Z';
    const post = { title: 'A', contentMd: '', status: 'scheduled', scheduledAt };
    const { id } = (await service.call('blog.create', '', post)).body;
    const statuses = async () => [
      (await read(service, 'blog.show', {}, { target: id })).body.effectiveStatus,
      (await page(service, 'blog.list')).items[0]?.effectiveStatus,
    ];

    expect(await statuses()).toEqual(['scheduled', 'scheduled']);
    service.clock.now += 60 * 60_000;
    expect(await statuses()).toEqual(['published', 'published']);
  });

  test('has the posts that restores leave, and pages over them', async () => {
    const service = await openService();
    const all: string[] = [];
    for (let count = 0; count < 4; count++) all.unshift(await make(service, 'blog.list'));
    const four = await backUp(service, ['blog']);
    const hidden = await make(service, 'blog.list');
    await restore(service, four, ['blog']);
    const later = await make(service, 'blog.list');

    expect(ids((await pages(service, 'blog.list', { limit: 2 })).flat())).toEqual([later, ...all]);
    expect((await read(service, 'blog.show', {}, { target: hidden })).status).toBe(404);
  });

  test('after many restores, each post that was there from beginning to end is seen once', async () => {
    const service = await openService();
    const shown: string[] = [];
    const empty = await backUp(service, ['blog']);
    for (let count = 0; count < 30; count++) {
      shown.unshift(await make(service, 'blog.list'));
      const kept = await backUp(service, ['blog']);
      await make(service, 'blog.list');
      await restore(service, kept, ['blog']);
    }
    const full = await backUp(service, ['blog']);
    const found = await pages(service, 'blog.list', { limit: 7 }, async (count) => {
      await make(service, 'blog.list');
      // For a moment the blog is empty, and then as it was.
      if (count === 2) await restore(service, empty, ['blog']);
      await restore(service, full, ['blog']);
    });

    expect(ids(found.flat())).toEqual(shown);
  });
});
