import { describe, expect, test } from 'vitest';
import { uuidPattern } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations/operations.ts';
import { machineFor } from '../helpers/cli.ts';
import { answer, type Behaviour, type ReceivedRequest, startFaultServer } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';
import { typed } from '../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';
const id = '5f0cbead-0000-4000-8000-000000000002';
const apiKey = 'any-key-of-another-service';
const at = '2030-01-31T09:00:00Z';

const dispute = {
  id,
  storeId,
  env: 'live',
  kind: 'payment',
  status: 'open',
  reason: 'r',
  idempotencyKey: 'k',
  createdAt: at,
};
const backup = { id, version: 1, label: 'nightly', sections: ['store'], createdAt: at };
const settings = {
  quietHours: { enabled: false, start: '22:00', end: '07:00', timezone: 'UTC' },
  templates: {},
  storeId,
  env: 'live',
  updatedAt: at,
};
const post = { id, title: 'Hello', slug: 'hello', contentMd: '# Hi', status: 'draft', createdAt: at };
const endpoint = {
  id,
  kind: 'discord',
  name: 'Team',
  url: 'https://d.example/1',
  events: ['feedback_digest'],
};

interface Case {
  readonly args: string;
  /** What another server answers, one after the other. */
  readonly answers: readonly Behaviour[];
  /** Method, path and body of every request, in order. `KEY` stands for a generated idempotency key. */
  readonly requests: readonly (readonly [method: string, path: string, body: string])[];
  /** What `--quiet` prints. */
  readonly id: string;
}

const base = `/v1/stores/${storeId}`;

const cases: Readonly<Record<string, Case>> = {
  'store update': {
    args: 'store update --name Shop --cashback-bp 250 --no-checkout-coupon-field --social discord=https://d.example/x=1',
    answers: [answer(200, { id: storeId, name: 'Shop', settings: { cashbackBp: 250 } })],
    requests: [
      [
        'PATCH',
        base,
        '{"name":"Shop","settings":{"cashbackBp":250,"socials":{"discord":"https://d.example/x=1"},"checkout":{"couponField":false}}}',
      ],
    ],
    id: storeId,
  },
  'blog create': {
    args: 'blog create --title Hello --content-md #Hi',
    answers: [answer(201, post)],
    requests: [['POST', `${base}/blog/posts`, '{"title":"Hello","contentMd":"#Hi"}']],
    id,
  },
  'disputes decide': {
    args: `disputes decide ${id} --status won --resolution delivered --confirm ${id}`,
    answers: [answer(200, { record: dispute, evidence: [] }), answer(200, { ...dispute, status: 'won' })],
    requests: [
      ['GET', `${base}/operations/disputes/${id}`, ''],
      ['POST', `${base}/operations/disputes/${id}/decision`, '{"status":"won","resolution":"delivered"}'],
    ],
    id,
  },
  'settings show': {
    args: 'settings show',
    answers: [answer(200, settings)],
    requests: [['GET', `${base}/operations/settings`, '']],
    id: storeId,
  },
  'settings save': {
    args: 'settings save --quiet-hours-enabled',
    answers: [answer(200, settings)],
    requests: [
      ['GET', `${base}/operations/settings`, ''],
      ['GET', `${base}/operations/settings`, ''],
      [
        'PUT',
        `${base}/operations/settings`,
        '{"quietHours":{"enabled":true,"start":"22:00","end":"07:00","timezone":"UTC"},"templates":{}}',
      ],
    ],
    id: storeId,
  },
  'disputes open': {
    args: 'disputes open --reason r',
    answers: [answer(201, dispute)],
    requests: [
      ['POST', `${base}/operations/disputes`, '{"reason":"r","kind":"payment","idempotencyKey":"KEY"}'],
    ],
    id,
  },
  'disputes show': {
    args: `disputes show ${id}`,
    answers: [answer(200, { record: dispute, evidence: [] })],
    requests: [['GET', `${base}/operations/disputes/${id}`, '']],
    id,
  },
  'backup create': {
    args: 'backup create --label nightly --sections store,blog --sections settings',
    answers: [answer(201, { ...backup, sections: ['settings', 'blog', 'store'] })],
    requests: [
      [
        'POST',
        `${base}/operations/backups`,
        '{"label":"nightly","sections":["store","blog","settings"],"idempotencyKey":"KEY"}',
      ],
    ],
    id,
  },
  'backup restore': {
    args: `backup restore ${id} --sections store --confirm ${id} --no-safety-backup --idempotency-key mine`,
    answers: [answer(200, { anything: true })],
    requests: [
      ['POST', `${base}/operations/backups/${id}/restore`, '{"sections":["store"],"idempotencyKey":"mine"}'],
    ],
    // Free-form: the contract promises no id.
    id: '',
  },
  'reclaim appeal': {
    args: `reclaim appeal ${id} --text please --confirm ${id}`,
    answers: [answer(201, { id, state: 'received' })],
    requests: [['POST', `${base}/operations/subdomain-reclaims/${id}/appeal`, '{"text":"please"}']],
    id,
  },
  'notify add-endpoint': {
    args: 'notify add-endpoint --name Team --url https://d.example/1 --events feedback_digest',
    answers: [answer(201, endpoint)],
    requests: [
      [
        'POST',
        `${base}/notifications/endpoints`,
        '{"name":"Team","url":"https://d.example/1","events":["feedback_digest"],"kind":"discord"}',
      ],
    ],
    id,
  },
  'notify mark-read': {
    args: `notify mark-read ${id} another-one`,
    answers: [answer(200, { ok: true })],
    requests: [['POST', `${base}/notifications/read`, `{"ids":["${id}","another-one"]}`]],
    id: '',
  },
};

/** The body with a generated idempotency key replaced, so that it can be compared. */
function withoutKey(body: string): string {
  return body.replace(/"idempotencyKey":"storectl-[0-9a-f]{30}"/, '"idempotencyKey":"KEY"');
}

function summarize(requests: readonly ReceivedRequest[]) {
  return requests.map(({ method, path, body }) => [method, path, withoutKey(body)]);
}

describe.each(Object.entries(cases))(
  '%s, at any server that speaks the spec',
  (_, { args, answers, requests, id }) => {
    test('sends exactly this', async () => {
      const { server, machine } = await setScene({ answers });

      const result = await machine.run([...args.split(' '), '--json']);

      expect(result).toMatchObject({ exitCode: 0 });
      expect(summarize(server.requests)).toEqual(requests);
      const hasKeyInBody = requests.some(([, , body]) => body.includes('"idempotencyKey"'));
      for (const { method, headers, headerNames, body } of server.requests) {
        const { 'content-length': length, 'content-type': type, connection: _connection, ...rest } = headers;
        const isChange = method !== 'GET' && !hasKeyInBody;
        expect(rest).toEqual({
          ...(isChange && { 'idempotency-key': expect.stringMatching(uuidPattern) }),
          host: `127.0.0.1:${server.port}`,
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          'user-agent': expect.stringMatching(/^storectl\/\d+\.\d+\.\d+/),
        });
        expect(type).toBe(body === '' ? undefined : 'application/json');
        expect(length).toBe(body === '' ? undefined : String(Buffer.byteLength(body)));
        expect(new Set(headerNames).size).toBe(headerNames.length);
      }
      const last = answers.at(-1);
      expect(JSON.parse(result.stdout)).toEqual(last?.does === 'answer' ? last.body : null);
      expect(result.stdout.split('\n')).toHaveLength(2);
    });

    test('prints the id alone with --quiet', async () => {
      const { machine } = await setScene({ answers });

      const result = await machine.run([...args.split(' '), '-q']);

      expect(result).toMatchObject({ exitCode: 0, stdout: id === '' ? '' : `${id}\n` });
    });

    test('sends nothing with --dry-run, and shows where it would go without the key', async () => {
      const { server, machine } = await setScene({ answers });

      const shown = await machine.run([...args.split(' '), '--dry-run', '--json']);

      const [method, path] = requests.at(-1) ?? [];
      expect(shown.exitCode).toBe(0);
      expect(JSON.parse(shown.stdout)).toMatchObject({
        method,
        url: `${server.url}${path}`,
        headers: { authorization: 'Bearer [redacted]', accept: 'application/json' },
      });
      expect(shown.stdout + shown.stderr).not.toContain(apiKey);
      expect(server.connections).toBe(0);
    });
  },
);

test('all operations are here', () => {
  expect(Object.keys(cases)).toHaveLength(operations.length);
});

describe('defaults of the client', () => {
  test.each([
    [
      'disputes open --reason r --kind fraud --idempotency-key k',
      '{"kind":"fraud","reason":"r","idempotencyKey":"k"}',
    ],
    [
      'notify add-endpoint --kind slack --name n --url https://h.example/ --events a --no-enabled',
      '{"kind":"slack","name":"n","url":"https://h.example/","events":["a"],"enabled":false}',
    ],
    ['notify mark-read --all', '{}'],
    [`notify mark-read --before ${at}`, `{"before":"${at}"}`],
  ])('%s', async (args, body) => {
    const { server, machine } = await setScene({ answers: [answer(200, { id })] });

    const result = await machine.run(args.split(' '));

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual(JSON.parse(body));
  });
});

test('each keyed command makes its own key', async () => {
  const { server, machine } = await setScene({ answers: [answer(201, backup)] });

  await machine.run(['backup', 'create', '--label', 'a', '--sections', 'store']);
  await machine.run(['backup', 'create', '--label', 'b', '--sections', 'store']);
  await machine.run(['disputes', 'open', '--reason', 'r']);

  const keys = server.requests.map(({ body }) => JSON.parse(body).idempotencyKey);
  expect(new Set(keys).size).toBe(3);
  for (const key of keys) expect(key).toMatch(/^storectl-[0-9a-f]{30}$/);
});

test('path parameters are percent-encoded, the store id among them', async () => {
  await using server = await startFaultServer([answer(200, {})]);
  const machine = machineFor({ origin: server.url, storeId: 'my?store#1', apiKey });
  const reclaimId = 'a%2Fb;c=d&é';

  const result = await machine.run(['reclaim', 'appeal', reclaimId, '--text', 'x', '--confirm', reclaimId]);

  expect(result.exitCode).toBe(0);
  expect(server.requests[0]?.path).toBe(
    '/v1/stores/my%3Fstore%231/operations/subdomain-reclaims/a%252Fb%3Bc%3Dd%26%C3%A9/appeal',
  );
});

test('a path in the base URL stays in front', async () => {
  await using server = await startFaultServer([answer(200, settings)]);
  const machine = machineFor({ origin: `${server.url}/gateway/stores-api/`, storeId, apiKey });

  await machine.run(['settings', 'show']);

  expect(server.requests[0]?.path).toBe(`/gateway/stores-api${base}/operations/settings`);
});

test('a mutation says where it goes before it goes there; a read does not', async () => {
  const { server, machine } = await setScene({ answers: [answer(201, post)] });

  const mutation = await machine.run(typed`blog create --title ${post.title} --content-md ${post.contentMd}`);
  const read = await machine.run(['settings', 'show']);

  expect(mutation.stderr).toBe(
    `main → store ${storeId} @ 127.0.0.1:${server.port}\n✓ Created post "Hello" (draft)\n`,
  );
  expect(read.stderr).toBe('');
});

test('the announcement is printed even if the service cannot be reached', async () => {
  const { server, machine } = await setScene({ answers: [] });
  await server.close();

  const result = await machine.run(typed`blog create --title a --content-md b --timeout 0.05`);

  expect(result).toMatchObject({ exitCode: 9, stdout: '' });
  expect(result.stderr).toMatch(
    /^main → store .*\nerror: the service could not be reached( in \d attempts)?: .*; nothing was sent\n/s,
  );
});
