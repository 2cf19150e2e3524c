import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { describeRetry } from '../../../../src/cli/output/describe-exchange.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { setScene } from '../../../helpers/scene.ts';
import { typed } from '../../../helpers/typed.ts';

const commands = {
  read: ['settings', 'show'],
  repeatable: ['notify', 'mark-read', '5f0cbead-0000-4000-8000-000000000001'],
  keyed: ['backup', 'create', '--label', 'l', '--sections', 'store'],
  'one-shot': ['blog', 'create', '--title', 't', '--content-md', 'c'],
} as const;
const classes = Object.keys(commands) as (keyof typeof commands)[];

/** Exit code by status, where it is the same for every class: the request was refused, for good. */
const refused: readonly (readonly [status: number, exitCode: number])[] = [
  ...[401, 403].map((status) => [status, 4] as const),
  ...[404, 410].map((status) => [status, 5] as const),
  ...[409, 412].map((status) => [status, 6] as const),
  ...[...[400, 402, 405, 406, 411, 413, 414, 415, 418, 422, 423, 428, 431, 451, 499], ...[307, 308]].map(
    (status) => [status, 7] as const,
  ),
  ...[501, 505, 511].map((status) => [status, 9] as const),
];

const lastLine = (text: string) => JSON.parse(text.split('\n').at(-2) ?? '');

test('a key without the scope: the advice names the scope, and where the key belongs', async () => {
  const { service, machine } = await setScene();
  const support = await service.makeKey('support');
  const env = { STORECTL_API_KEY: support };

  const refused = await machine.run(typed`backup create --label l --sections store`, { env });

  expect(refused).toMatchObject({ exitCode: 4 });
  expect(refused.stderr).toContain(
    '\n  use a key with the scope backups:write: set it in STORECTL_API_KEY\n',
  );
});

describe.each(classes)('exit codes of %s operations', (kind) => {
  test('a definite refusal', async () => {
    const found = await Promise.all(
      refused.map(async ([status]) => {
        const body = { code: 'some_code', detail: 'not so' };
        const { server, machine } = await setScene({
          answers: [answer(status, body, { location: 'http://127.0.0.1:9/' })],
        });
        const { exitCode, stdout, stderr } = await machine.run([...commands[kind], '--json']);
        const { error } = lastLine(stderr);
        expect({ stdout, ...error, requests: server.requests.length }).toMatchObject({
          stdout: '',
          code: 'some_code',
          hint: expect.stringMatching(/\S/),
          status,
          outcome: kind === 'read' ? 'not_sent' : 'rejected',
          requests: 1,
        });
        return [status, exitCode];
      }),
    );

    expect(found).toEqual(refused);
  });

  test.each([
    [413, 'send less at once: the service, or a gateway in front of it, has a limit'],
    [426, 'the server requires another protocol than HTTP/1.1: contact its operator'],
  ])('%d does not blame the base URL', async (status, hint) => {
    const { machine } = await setScene({ answers: [answer(status, '<html>no</html>', { upgrade: 'h2c' })] });

    const { exitCode, stderr } = await machine.run(commands[kind]);

    expect(exitCode).toBe(7);
    expect(stderr).toContain(`\n  ${hint}\n`);
    expect(stderr).not.toContain('base URL');
  });

  test.each([425, 429])('%d: throttled, with the time to try again', async (status) => {
    const { server, machine } = await setScene({ answers: [answer(status, {}, { 'retry-after': '3600' })] });

    const { exitCode, stderr } = await machine.run([...commands[kind], '--json']);

    const { error } = lastLine(stderr);
    const outcome = kind === 'read' ? 'not_sent' : 'rejected';
    expect({ exitCode, ...error }).toMatchObject({ exitCode: 8, status, outcome });
    expect(error.hint).toMatch(
      /^run the command again after \d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d) \(in \d\d minutes\)/,
    );
    expect(server.requests).toHaveLength(1);
  });

  test('300 to 303: refused for a read, unknown for a change', async () => {
    const found = await Promise.all(
      [300, 301, 302, 303].map(async (status) => {
        const { server, machine } = await setScene({
          answers: [answer(status, '', { location: 'http://127.0.0.1:9/' })],
        });
        const { exitCode } = await machine.run(commands[kind]);
        return [exitCode, server.requests.length];
      }),
    );

    expect(found).toEqual(Array(4).fill([kind === 'read' ? 7 : 10, 1]));
  });

  test('5xx: not applied for a read, unknown for a change', async () => {
    const found = await Promise.all(
      [408, 500, 502, 503, 504, 520, 524, 599].map(async (status) => {
        const { server, machine } = await setScene({ answers: [answer(status, 'oh')] });
        const { exitCode } = await machine.run([...commands[kind], '--timeout', '0.8']);
        expect(server.requests.length).toBeGreaterThanOrEqual(1);
        return [status, exitCode];
      }),
    );

    const expected = kind === 'read' ? 9 : 10;
    expect(found.map(([, exitCode]) => exitCode)).toEqual(Array(8).fill(expected));
  });

  test('503 that asks to wait past the deadline: throttled for a read, unknown for a change, with the time', async () => {
    const { machine } = await setScene({ answers: [answer(503, {}, { 'retry-after': '3600' })] });

    const result = await machine.run([...commands[kind], '--json']);

    const { error } = lastLine(result.stderr);
    expect(result.exitCode).toBe(kind === 'read' ? 8 : 10);
    expect(error.outcome).toBe(kind === 'read' ? 'not_sent' : 'unknown');
    if (kind !== 'one-shot')
      expect(error.hint).toMatch(
        / after \d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d) \(in .*--timeout 36[06]0/,
      );
    if (kind === 'keyed')
      expect(error.hint).toMatch(/^the change is still open; run `storectl resume .*` after /);
  });

  test('cancelled while the service has the command wait: 130 for a read, unknown for a change', async () => {
    const { server, machine } = await setScene({ answers: [answer(503, 'oh', { 'retry-after': '60' })] });
    const cancel = new AbortController();
    // Time for the answer to arrive, so that it is the wait that is cancelled.
    void server
      .received(1)
      .then(() => sleep(200))
      .then(() => cancel.abort());
    const result = await machine.run(commands[kind], {
      signal: cancel.signal,
    });

    expect(result.exitCode).toBe(kind === 'read' ? 130 : 10);
    expect(result.stderr).not.toContain('asks to wait');
  });

  test('a service that is not there: nothing was sent', async () => {
    const { server, machine } = await setScene({ answers: [] });
    await server.close();

    const { exitCode, stdout, stderr } = await machine.run([...commands[kind], '--json', '--timeout', '0.3']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
    expect(lastLine(stderr).error).toMatchObject({
      code: 'connection_refused',
      outcome: 'not_sent',
    });
  });

  test('cancelled before anything is sent: 130', async () => {
    const { server, machine } = await setScene({ answers: [answer(200, {})] });

    const result = await machine.run([...commands[kind]], {
      signal: AbortSignal.abort(),
    });

    expect(result).toMatchObject({ exitCode: 130, stdout: '' });
    expect(server.connections).toBe(0);
  });
});

test.each([
  ['a list', answer(200, [1, 2])],
  ['the page of a captive portal', answer(200, '<html>Log in</html>', { 'content-type': 'text/html' })],
  ['a lost response', { does: 'drop' } as const],
])('%s in response to a read says nothing about a change', async (_, behaviour) => {
  const { machine } = await setScene({ answers: [behaviour] });
  for (const read of [
    ['settings', 'show'],
    ['disputes', 'show', '4be5a3c0-0000-4000-8000-00000000000a'],
  ]) {
    const { exitCode, stderr } = await machine.run([...read, '--json']);
    expect({ exitCode, ...lastLine(stderr).error }).toMatchObject({ exitCode: 9, outcome: 'not_sent' });
  }
});

describe.each(classes.filter((kind) => kind !== 'read'))('an unknown outcome of %s operations', (kind) => {
  test('names the record that resume settles', async () => {
    const { machine } = await setScene({ answers: [{ does: 'drop' }] });

    const forPrograms = await machine.run([...commands[kind], '--json', '--timeout', '3']);
    const listed = await machine.run(['history', 'list', '--state', 'unknown', '--json']);

    expect(forPrograms).toMatchObject({ exitCode: 10, stdout: '' });
    const { error } = lastLine(forPrograms.stderr);
    expect(error).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(error.hint).toContain(`storectl resume ${error.operationId}`);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: error.operationId, state: 'unknown' }]);
  });
});

describe('errors', () => {
  test('a service in trouble at each attempt of a read: not that it asked to wait', async () => {
    const { server, machine } = await setScene({ answers: [answer(503, 'oh', { 'retry-after': '0' })] });
    const { exitCode, stderr } = await machine.run(commands.read);

    expect({ exitCode, tries: server.requests.length }).toEqual({ exitCode: 9, tries: 4 });
    expect(stderr).toMatch(
      /^error: the service returned HTTP 503: oh \(4 attempts\)\n.* run the command again after /m,
    );
  });

  test('a validation answer names the field and the flag that sets it', async () => {
    const problem = {
      code: 'validation_failed',
      detail: 'The request is invalid.',
      requestId: 'ignored',
      errors: [
        { pointer: '/settings/cashbackBp', code: 'too_big', detail: 'at most 10000' },
        { pointer: '/settings/loyalty', code: 'unknown_field', detail: 'not known' },
      ],
    };
    const { machine } = await setScene({ answers: [answer(422, problem, { 'x-request-id': 'req-1' })] });
    const args = ['store', 'update', '--cashback-bp', '20000', '--set', 'settings.loyalty=1'];

    const forPeople = await machine.run(args);
    const forPrograms = await machine.run([...args, '--json']);

    expect(forPeople.stderr.split('\n').slice(-6)).toEqual([
      'error: the service rejected the request (422 validation_failed): The request is invalid:',
      '  --cashback-bp: at most 10000',
      '  settings.loyalty: not known',
      '  fix the input, then run the command again',
      '  request id: req-1',
      '',
    ]);
    expect(lastLine(forPrograms.stderr)).toEqual({
      error: {
        code: 'validation_failed',
        message: expect.stringContaining('The request is invalid'),
        hint: 'fix the input, then run the command again',
        outcome: 'rejected',
        status: 422,
        requestId: 'req-1',
        operationId: expect.any(String),
        fields: [
          { field: 'settings.cashbackBp', flag: '--cashback-bp', detail: 'at most 10000' },
          { field: 'settings.loyalty', flag: null, detail: 'not known' },
        ],
      },
    });
  });

  test('the real service names the flag, too', async () => {
    const { exitCode, stderr } = await (await setScene()).machine.run(
      typed`store update --cashback-bp 20000 --tax-rate-bp 20000 --set loyalty=200`,
    );

    expect(exitCode).toBe(7);
    expect(stderr).toMatch(/^ {2}--cashback-bp: /m);
    expect(stderr).toMatch(/^ {2}--tax-rate-bp: /m);
    expect(stderr).toMatch(/^ {2}loyalty: /m);
  });

  test('what is no HTTP is called so, and not a broken connection', async () => {
    const { machine } = await setScene({ answers: [{ does: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' }] });

    const { exitCode, stderr } = await machine.run([...commands['one-shot']]);

    expect(exitCode).toBe(10);
    expect(stderr).toContain('the response is not valid HTTP');
    expect(stderr).not.toContain('https://');
  });

  test('an answer that differs from the contract is a warning on stderr, and no lost answer', async () => {
    const body = { quietHours: { enabled: 'yes' }, templates: [], extra: 1 };
    const { machine } = await setScene({ answers: [answer(200, body)] });

    const result = await machine.run(typed`settings show --json`);

    expect(result).toMatchObject({ exitCode: 0, stdout: `${JSON.stringify(body)}\n` });
    expect(result.stderr).toMatch(
      /^unexpected response: quietHours\.enabled must be true or false .*\nunexpected response: templates must be an object .*\n$/,
    );
  });
});

describe('between two attempts', () => {
  test.each([
    [
      { status: 429, delayMs: 1000, forMs: null, reason: 'Try again in 1 s.' },
      'rate limited by the service: retrying in 1 s',
    ],
    [{ status: 503, delayMs: 12_300, forMs: null, reason: 'Down' }, 'Down: retrying in 12 s'],
    [
      { status: null, delayMs: 213, forMs: 59_900, reason: 'connection refused' },
      'connection refused: retrying for up to 60 s',
    ],
    [{ status: null, delayMs: 3, forMs: null, reason: 'x' }, 'x: retrying in 0.1 s'],
  ])('%j is said in one sentence, with the true time', (retry, expected) => {
    expect(describeRetry(retry)).toBe(expected);
  });

  test('a rate limit is called so', async () => {
    const limited = answer(429, { detail: 'Try again in 1 s.' }, { 'retry-after': '0.1' });
    const { machine } = await setScene({ answers: [limited, answer(200, {})] });
    const { exitCode, stderr } = await machine.run(commands.read);

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^rate limited by the service: retrying in \S+ s$/m);
    expect(stderr).not.toContain('Try again');
  });

  test('a rate limit that ends the command says once when to try again', async () => {
    const limited = answer(
      429,
      { code: 'rate_limited', detail: 'Try again in 30 s.' },
      { 'retry-after': '30' },
    );
    const { machine } = await setScene({ answers: [limited] });

    const { exitCode, stderr } = await machine.run([...commands.read, '--timeout', '5']);

    expect(exitCode).toBe(8);
    expect(stderr).toMatch(/run the command again in \d+ s$/m);
    expect(stderr.match(/again/gi)).toHaveLength(1);
  });

  test('a rate limit that makes later requests wait too is said once', async () => {
    const limited = answer(429, {}, { 'retry-after': '0.1' });
    const settings = answer(200, { quietHours: { start: '22:00' } });
    const { server, machine } = await setScene({ answers: [limited, settings, settings, settings] });
    const { exitCode, stderr } = await machine.run(['settings', 'save', '--quiet-hours-start', '21:00']);

    expect(exitCode).toBe(0);
    expect(server.requests).toHaveLength(4);
    expect(stderr.match(/retrying in/g)).toHaveLength(1);
  });

  test('the last error says how many there were', async () => {
    const { server, machine } = await setScene({ answers: [] });
    await server.close();
    const { exitCode, stderr } = await machine.run([...commands.read, '--timeout', '3']);

    expect(exitCode).toBe(9);
    expect(stderr).toMatch(/^error: the service could not be reached in \d attempts: /m);
    expect(stderr.match(/retrying for up to \S+ s$/gm)).toHaveLength(1);
  });
});

test('a slug that is taken: the hint names the flag that chooses another', async () => {
  const { machine } = await setScene();
  const create = ['blog', 'create', '--title', 'Hello inks', '--content-md'];
  await machine.run([...create, 'Old']);

  const result = await machine.run([...create, 'New']);

  expect(result).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('the slug "hello-inks"\n  choose another slug with --slug\n'),
  });
});

test.each(classes)('403 with Retry-After is a limit: exit 8 with the time (%s)', async (kind) => {
  const body = { code: 'rate_limited', detail: 'Too many requests' };
  const { machine } = await setScene({ answers: [answer(403, body, { 'retry-after': '3600' })] });

  const { exitCode, stderr } = await machine.run([...commands[kind], '--json']);

  expect({ exitCode, ...lastLine(stderr).error }).toMatchObject({ exitCode: 8, status: 403 });
  expect(lastLine(stderr).error.hint).toMatch(/^run the command again after /);
});
