import { expect, test } from 'vitest';
import { recordEvent } from '../../../src/service/operations/record-event.ts';
import { listNotifications } from '../../../src/service/storage/queries/notifications.ts';
import { expectFaults, faults, openService, type Service } from '../helpers/service.ts';

const endpoint = {
  kind: 'discord',
  name: 'Team',
  url: 'https://discord.com/api/webhooks/123456/AbC-d_e',
  events: ['feedback_digest', 'dispute_opened'],
};

test('an endpoint is added with its token masked', async () => {
  const service = await openService();
  const answer = await service.call('notify.add-endpoint', '', endpoint);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'discord',
    name: 'Team',
    url: 'https://discord.com/api/webhooks/123456/***',
    events: ['feedback_digest', 'dispute_opened'],
    enabled: true,
    createdAt: '2030-03-01T12:00:00.000Z',
  });
});

test('an endpoint takes enabled and a template', async () => {
  const service = await openService();
  const body = { ...endpoint, enabled: false, discordTemplate: { title: 'Shop', color: '#0A7cff' } };
  const answer = await service.call('notify.add-endpoint', '', body);
  expect(answer.body).toMatchObject({
    enabled: false,
    discordTemplate: { title: 'Shop', color: '#0A7cff' },
  });
});

test('the same URL twice in one store is a duplicate', async () => {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  await service.call('notify.add-endpoint', '', endpoint);
  const again = await service.call('notify.add-endpoint', '', { ...endpoint, name: 'Again' });
  expect(again).toMatchObject({ status: 409, body: { code: 'duplicate' } });
  expect((await other.call('notify.add-endpoint', '', endpoint)).status).toBe(201);
});

test('a store has at most 20 endpoints', async () => {
  const service = await openService();
  for (let index = 0; index < 20; index++) {
    const added = await service.call('notify.add-endpoint', '', {
      ...endpoint,
      url: `${endpoint.url}${index}`,
    });
    expect(added.status).toBe(201);
  }
  const answer = await service.call('notify.add-endpoint', '', endpoint);
  expect(answer).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

test('a misspelt event is refused with a suggestion', async () => {
  const service = await openService();
  const answer = await service.call('notify.add-endpoint', '', {
    ...endpoint,
    events: ['dispute_opened', 'feedback_digst'],
  });
  expect(faults(answer)).toEqual(['/events/1 unknown_event']);
  expect(answer.body.errors[0].detail).toContain('(got "feedback_digst"; did you mean "feedback_digest"?)');
  const other = await service.call('notify.add-endpoint', '', { ...endpoint, events: ['foo'] });
  expect(other.body.errors[0].detail).toMatch(/^must be one of store_updated, .* \(got "foo"\)$/);
});

test('URLs of Discord webhooks are accepted', async () => {
  const service = await openService();
  for (const url of [
    'https://discordapp.com/api/webhooks/1/x',
    'https://canary.discord.com/api/v10/webhooks/1/x',
    'https://ptb.discord.com:443/api/webhooks/1/x',
  ]) {
    expect((await service.call('notify.add-endpoint', '', { ...endpoint, url })).status).toBe(201);
  }
});

test('invalid fields of an endpoint', async () => {
  const service = await openService();
  await expectFaults(service, 'notify.add-endpoint', [
    [{}, ['/events required', '/kind required', '/name required', '/url required']],
    [
      { ...endpoint, kind: 'slack', name: '', events: [] },
      ['/events too_small', '/kind invalid_value', '/name too_short'],
    ],
    [
      {
        ...endpoint,
        events: ['feedback_digest', 'feedback_digest'],
        secret: 'x',
        discordTemplate: { color: 'red', footer: '' },
      },
      [
        '/discordTemplate/color invalid_format',
        '/discordTemplate/footer unknown_field',
        '/events/1 duplicate',
        '/secret unknown_field',
      ],
    ],
  ]);
});

/** Three notifications, a minute apart. */
async function notify(service: Service) {
  for (let count = 0; count < 3; count++) {
    await service.inStore((work) => recordEvent(work, 'feedback_digest', { summary: `${count}` }));
    service.clock.now += 60_000;
  }
  return (await notifications(service)).map((row) => row.id);
}

function notifications({ storage, storeId }: Service) {
  return storage.read((db) => listNotifications({ db, storeId }));
}

async function readMarks(service: Service) {
  return (await notifications(service)).map((row) => row.read);
}

test('an empty body marks all as read', async () => {
  const service = await openService();
  await notify(service);
  const answer = await service.call('notify.mark-read', '', {});
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  expect(await readMarks(service)).toEqual([true, true, true]);
});

test('ids mark those of this store only', async () => {
  const service = await openService();
  const other = await openService({ storage: service.storage });
  const [, second = ''] = await notify(service);
  const foreign = await notify(other);
  const answer = await service.call('notify.mark-read', '', { ids: [second, 'unknown', ...foreign] });
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  expect(await readMarks(service)).toEqual([false, true, false]);
  expect(await readMarks(other)).toEqual([false, false, false]);
});

test('an empty list of ids marks nothing', async () => {
  const service = await openService();
  await notify(service);
  expect((await service.call('notify.mark-read', '', { ids: [] })).status).toBe(200);
  expect(await readMarks(service)).toEqual([false, false, false]);
});

test('before marks what is older', async () => {
  const service = await openService();
  await notify(service);
  await service.call('notify.mark-read', '', { before: '2030-03-01T13:01:00+01:00' });
  expect(await readMarks(service)).toEqual([true, false, false]);
});

test('before marks up to the first that is as new, whatever came after it with an older time', async () => {
  const service = await openService();
  await notify(service);
  service.clock.now -= 600_000;
  await notify(service);
  await service.call('notify.mark-read', '', { before: '2030-03-01T12:01:00Z' });
  expect(await readMarks(service)).toEqual([true, false, false, false, false, false]);
  await service.call('notify.mark-read', '', { before: '2040-01-01T00:00:00Z' });
  expect(await readMarks(service)).toEqual(Array(6).fill(true));
});

test('the mark never moves back, and what comes later is unread', async () => {
  const service = await openService();
  await notify(service);
  await service.call('notify.mark-read', '', {});
  await service.call('notify.mark-read', '', { before: '2030-03-01T12:00:00Z' });
  expect(await readMarks(service)).toEqual([true, true, true]);
  await notify(service);
  expect(await readMarks(service)).toEqual([true, true, true, false, false, false]);
});

test.each([
  [{ ids: 'x' }, ['/ids invalid_type']],
  [{ ids: Array(501).fill('x') }, ['/ids too_big']],
  [{ ids: [1], all: true }, ['/all unknown_field', '/ids/0 invalid_type']],
  [{ before: 'now' }, ['/before invalid_format']],
  [{ ids: [], before: '2030-01-01T00:00:00Z' }, ['/before not_allowed']],
])('the marks %j are refused field by field', async (body, expected) => {
  const service = await openService();
  expect(faults(await service.call('notify.mark-read', '', body))).toEqual(expected);
});
