import { expect, test } from 'vitest';
import type { OperationId } from '../../../src/contract/operations/operations.ts';
import { faults, openService } from '../helpers/service.ts';

/** To bring marks into their order, as NFC demands, takes time with the square of their number. */
const disordered = (pairs: number) => `a${'\u0301\u0316'.repeat(pairs)}`;

const post = { title: 'A', contentMd: '' };
const dispute = { kind: 'payment', reason: 'A', idempotencyKey: 'k' };
const endpoint = { kind: 'discord', name: 'A', url: 'https://discord.com/api/webhooks/1/a', events: [] };

/** Every field whose check does more than to count, a body with a text in it, and what the service says of it. */
const fields: readonly (readonly [OperationId, (text: string) => object, string])[] = [
  ['blog.create', (slug) => ({ ...post, slug }), '/slug invalid_format'],
  ['blog.create', (title) => ({ ...post, title }), '/title too_long'],
  ['blog.create', (tag) => ({ ...post, tags: [tag] }), '/tags/0 too_long'],
  [
    'blog.create',
    (time) => ({ ...post, status: 'scheduled', scheduledAt: time }),
    '/scheduledAt invalid_format',
  ],
  ['store.update', (name) => ({ name }), '/name too_long'],
  ['store.update', (slug) => ({ slug }), '/slug invalid_format'],
  ['store.update', (timezone) => ({ timezone }), '/timezone invalid_format'],
  ['store.update', (text) => ({ defaultCurrency: text }), '/defaultCurrency invalid_format'],
  ['store.update', (text) => ({ settings: { supportEmail: text } }), '/settings/supportEmail too_long'],
  ['store.update', (text) => ({ settings: { discordUrl: text } }), '/settings/discordUrl too_long'],
  ['store.update', (text) => ({ settings: { brandColor: text } }), '/settings/brandColor invalid_format'],
  ['store.update', (text) => ({ settings: { socials: { x: text } } }), '/settings/socials/x too_long'],
  ['settings.save', (text) => ({ quietHours: { start: text } }), '/quietHours/start invalid_format'],
  ['disputes.open', (text) => ({ ...dispute, buyerEmail: text }), '/buyerEmail too_long'],
  ['disputes.open', (text) => ({ ...dispute, kind: text }), '/kind invalid_format'],
  ['disputes.open', (text) => ({ ...dispute, idempotencyKey: text }), '/idempotencyKey invalid_format'],
  ['notify.add-endpoint', (url) => ({ ...endpoint, events: ['post_created'], url }), '/url invalid_format'],
];

test.each(fields)('%s: no more is said of a text that is too long (%#)', async (id, bodyWith, fault) => {
  const service = await openService();
  const time = `2030-01-01T00:00:00.${'0'.repeat(9_000)}Z`;
  for (const text of [disordered(3_000), `https://x.example/${disordered(3_000)}`, time]) {
    const answer = await service.call(id, '', bodyWith(text));
    expect({ status: answer.status, faults: faults(answer) }).toEqual({ status: 422, faults: [fault] });
  }
});

test('a slug that would take minutes to normalize is refused by its length', async () => {
  const service = await openService();
  const answer = await service.call('blog.create', '', { ...post, slug: disordered(200_000) });
  expect(faults(answer)).toEqual(['/slug invalid_format']);
});

test('lengths of texts that are checked by a format are in code points', async () => {
  const service = await openService();
  const slug = '𐐨'.repeat(120);
  expect((await service.call('blog.create', '', { ...post, slug })).body).toMatchObject({ slug });
  const longer = await service.call('blog.create', '', { ...post, slug: `${slug}𐐨` });
  expect(faults(longer)).toEqual(['/slug invalid_format']);
});
