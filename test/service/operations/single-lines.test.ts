import { expect, test } from 'vitest';
import type { OperationId } from '../../../src/contract/operations/operations.ts';
import { createKey, createStore } from '../../../src/service/index.ts';
import { expectFaults, faults, openService, openTestStorage } from '../helpers/service.ts';

const url = 'https://discord.com/api/webhooks/4711/a-token';
const events = ['post_created'];

/** Every text of one line that a tenant can set: the operation, a body with the text in it, and where it is. */
const lines: readonly (readonly [OperationId, (text: string) => object, string])[] = [
  ['store.update', (name) => ({ name }), '/name'],
  ['store.update', (text) => ({ settings: { socials: { x: text } } }), '/settings/socials/x'],
  ['blog.create', (title) => ({ title, contentMd: '' }), '/title'],
  ['blog.create', (metaTitle) => ({ title: 'A', contentMd: '', metaTitle }), '/metaTitle'],
  ['blog.create', (tag) => ({ title: 'A', contentMd: '', tags: [tag] }), '/tags/0'],
  ['backup.create', (label) => ({ label, sections: ['store'], idempotencyKey: 'k' }), '/label'],
  ['settings.save', (title) => ({ templates: { x: { title } } }), '/templates/x/title'],
  ['settings.save', (word) => ({ discovery: { categories: [word] } }), '/discovery/categories/0'],
  ['notify.add-endpoint', (name) => ({ kind: 'discord', name, url, events }), '/name'],
  [
    'notify.add-endpoint',
    (title) => ({ kind: 'discord', name: 'A', url, events, discordTemplate: { title } }),
    '/discordTemplate/title',
  ],
  [
    'disputes.open',
    (id) => ({ kind: 'payment', reason: 'A', idempotencyKey: 'k', providerCaseId: id }),
    '/providerCaseId',
  ],
];

test.each(lines)('%s: a text of one line has no control characters (%#)', async (id, bodyWith, pointer) => {
  const service = await openService();
  for (const character of ['\u001b[8m', '\n', '\r', '\t', '\u007f', '\u009b', '\u2028']) {
    const answer = await service.call(id, '', bodyWith(`Juniper${character}Ink`));
    expect({ status: answer.status, faults: faults(answer) }).toEqual({
      status: 422,
      faults: [`${pointer} invalid_format`],
    });
  }
  // Other scripts need marks of direction, and joiners.
  expect((await service.call(id, '', bodyWith('חנות\u200f 👩‍👩‍👧'))).status).toBeLessThan(300);
});

test('texts of several lines are stored as they were sent', async () => {
  const service = await openService();
  const description = 'One\n\tTwo\r\n';
  const answer = await service.call('store.update', '', { settings: { description } });
  expect(answer.body.settings.description).toBe(description);
});

test('a name or label from an operator is in one line, too', async () => {
  const storage = await openTestStorage();
  const invalid = { code: 'validation_failed' };
  await expect(createStore(storage, { name: 'A\u001b[8m' })).rejects.toMatchObject(invalid);
  const { id: storeId } = await createStore(storage, { name: 'A' });
  await expect(createKey(storage, { storeId, preset: 'owner', label: 'a\nb' })).rejects.toMatchObject(
    invalid,
  );
});

test('a template of blanks is refused; an empty one stands for the default', async () => {
  const service = await openService();
  await expectFaults(service, 'settings.save', [
    [
      { templates: { post_created: { title: '  ', body: '\n \n' } } },
      ['/templates/post_created/body blank', '/templates/post_created/title blank'],
    ],
  ]);
  const endpoint = { kind: 'discord', name: 'A', url, events };
  await expectFaults(service, 'notify.add-endpoint', [
    [{ ...endpoint, discordTemplate: { description: ' ' } }, ['/discordTemplate/description blank']],
  ]);
  const saved = await service.call('settings.save', '', {
    templates: { post_created: { title: '', body: '' } },
  });
  expect(saved.status).toBe(200);
});
