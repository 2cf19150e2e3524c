import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/cli/core/exit-codes.ts';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { seedChange } from '../../helpers/seed-history.ts';
import { typed } from '../../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';
const apiKey = 'any-key-of-another-service';

test('--debug shows no secret of a webhook', async () => {
  const { machine } = await setScene({ answers: [answer(201, { id: 'e-1' })] });
  const url = 'https://discord.com/api/webhooks/123/very-secret_Token';

  const { stderr } = await machine.run(
    typed`notify add-endpoint --name Team --url ${url} --events feedback_digest --debug`,
  );

  expect(stderr).toContain('/webhooks/123/***');
  expect(stderr).not.toContain('very-secret');
});

describe('a key that the service escapes in JSON', () => {
  const key = 'Zm9v+YmFy/c2VjcmV0LWtleQ==';
  const part = 'c2VjcmV0LWtleQ';
  const forms = [
    key.replaceAll('+', '\\u002B').replaceAll('/', '\\/'),
    key.replace(/./g, (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ];

  test.each(forms)('is neither printed nor kept: %s', async (written) => {
    const refusal = `{"code":"bad_key","detail":"not ${written}","errors":[{"pointer":"/name","detail":"${written}"}]}`;
    const post = `{"id":"p-1","slug":"a","title":"T","contentMd":"C","note":"${written}"}`;
    const json = { 'content-type': 'application/json' };
    const { machine } = await setScene({ answers: [answer(400, refusal, json), answer(201, post, json)] });
    const env = { STORECTL_API_KEY: key };

    const refused = await machine.run(typed`store update --name x --debug --json`, { env });
    const created = await machine.run(typed`blog create --title T --set contentMd=C --debug --json`, { env });
    const history = await machine.run(typed`history list --json`, { env });

    expect([refused.exitCode, created.exitCode]).toEqual([exitCodes.rejected, exitCodes.done]);
    expect(refused.stderr).toContain('not [redacted]');
    expect(JSON.parse(created.stdout)).toMatchObject({ note: '[redacted]' });
    const kept = readdirSync(machine.stateDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(kept.join('')).toContain('[redacted]');
    for (const text of [refused, created, history]
      .flatMap(({ stdout, stderr }) => [stdout, stderr])
      .concat(kept))
      for (const secret of [key, written, part]) expect(text).not.toContain(secret);
  });
});

describe('--debug', () => {
  test('shows the exchange on stderr, without the key anywhere', async () => {
    const body = { id: storeId, echo: `your key is ${apiKey}` };
    const { server, machine } = await setScene({
      answers: [answer(200, body, { 'x-echo': `Bearer ${apiKey}` })],
    });

    const result = await machine.run(typed`store update --name x --debug`);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(`> PATCH ${server.url}/v1/stores/${storeId} (attempt 1)`);
    expect(result.stderr).toContain('> authorization: Bearer [redacted]');
    expect(result.stderr).toContain('> {"name":"x"}');
    expect(result.stderr).toMatch(/^< 200 after \d+ ms$/m);
    expect(result.stderr).toContain('< x-echo: Bearer [redacted]');
    expect(result.stderr).toContain('your key is [redacted]');
    expect(result.stderr).not.toContain(apiKey);
    expect(result.stdout).not.toContain('> ');
  });

  test('says what the history decided about a change, and why', async () => {
    const { machine, server } = await setScene({ answers: [answer(200, { id: storeId, name: 'c' })] });
    const place = { origin: server.url, storeId };
    const seed = (body: Record<string, unknown>, state: 'unknown' | 'applied') =>
      seedChange(machine, place, { operation: 'store.update', body, state });
    const earlier = await seed({ name: 'a', slogan: 'b' }, 'unknown');
    const later = await seed({ name: 'b' }, 'applied');

    const left = await machine.run(['resume', earlier.id, '--debug']);
    const sent = await machine.run(typed`store update --name c --set slogan=c --debug`);

    expect(left.stderr).toContain(
      `${earlier.id} left open: a later change of store.name was applied (${later.id})\n`,
    );
    expect(sent.stderr).toMatch(/^([a-z0-9]{6}) begun: no earlier change is in its way$/m);
    expect(sent.stderr).toMatch(
      new RegExp(`^${earlier.id} superseded: [a-z0-9]{6} was applied later and sets the same$`, 'm'),
    );
    expect(sent.stdout).not.toContain('superseded');
  });

  test('STORECTL_DEBUG does the same', async () => {
    const { machine } = await setScene({ answers: [answer(200, {})] });

    const { stderr } = await machine.run(['settings', 'show'], {
      env: { STORECTL_DEBUG: '1' },
    });

    expect(stderr).toContain('> GET ');
  });
});
