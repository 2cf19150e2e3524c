import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer } from '../../helpers/fault-server.ts';
import { fakeService, startStore } from '../../helpers/scene.ts';
import { seedChange } from '../../helpers/seed-history.ts';
import { typed } from '../../helpers/typed.ts';

const storeId = '4be5c0de-0000-4000-8000-000000000001';

/** An answer as another server writes it: odd spacing, numbers that a double cannot hold, fields that nobody knows. */
const foreign =
  '{ "quietHours":{"enabled":false,"start":"22:00","end":"07:00","timezone":"UTC","grace":1.0},' +
  '"loyalty":{"limit":12345678901234567890,"rate":1e2,"tiers":[ ]},"templates":{},' +
  `"storeId":"${storeId}","env":"live","updatedAt":"2030-01-31T09:00:00Z"}`;

describe('settings show --json', () => {
  test('prints fields that the contract does not know, and numbers as the service wrote them', async () => {
    const { machine } = await fakeService(answer(200, foreign));

    const { stdout, stderr, exitCode } = await machine.run(typed`settings show --json`);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(`${foreign.replace('{ ', '{').replace('[ ]', '[]')}\n`);
  });
});

describe('settings save', () => {
  test('keeps unknown groups, and does not send the fields that the service sets', async () => {
    const document = {
      loyalty: { tiers: [1, 2], note: null },
      quietHours: { enabled: false, start: '22:00', grace: 5 },
      templates: { 'order.paid': { title: 'Paid', body: 'b', private: true } },
      storeId,
      env: 'live',
      updatedAt: '2030-01-31T09:00:00Z',
    };
    const { server, machine } = await fakeService(answer(200, document));

    const title = 'templates.order\\.paid.title=Done';
    const result = await machine.run(['settings', 'save', '--quiet-hours-enabled', '--set', title]);

    expect(result.exitCode).toBe(0);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT']);
    expect(JSON.parse(server.requests[2]?.body ?? '')).toEqual({
      loyalty: { tiers: [1, 2], note: null },
      quietHours: { enabled: true, start: '22:00', grace: 5 },
      templates: { 'order.paid': { title: 'Done', body: 'b', private: true } },
    });
    expect(server.requests.flatMap(({ headerNames }) => headerNames)).not.toContainEqual(
      expect.stringMatching(/^if-/i),
    );
    expect(result.stderr).toContain('✓ Saved the operations settings');
  });

  test.each(['12345678901234567890', '0.12345678901234567890', '1e400', '1e-400'])(
    'does not save over the number %s, which it could not keep',
    async (number) => {
      const { server, machine } = await fakeService(answer(200, `{"loyalty":{"limit":${number}}}`));

      const result = await machine.run(typed`settings save --quiet-hours-enabled`);

      expect(result).toMatchObject({ exitCode: 7, stdout: '', stderr: expect.stringContaining(number) });
      expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  test('keeps every number that it can, however it is written', async () => {
    const numbers = '[1.0,0.30000000000000004,1e21,100000000000000000000,9007199254740991,-0.5]';
    const { server, machine } = await fakeService(answer(200, `{"loyalty":{"limits":${numbers}}}`));

    await machine.run(['settings', 'save', '--quiet-hours-enabled']);

    expect(JSON.parse(server.requests[2]?.body ?? '').loyalty.limits).toEqual(JSON.parse(numbers));
  });

  test('sends If-Match where the service gave an ETag', async () => {
    const first = answer(200, { quietHours: { enabled: false } }, { etag: '"first"' });
    const { server, machine } = await fakeService(first);

    await machine.run(['settings', 'save', '--quiet-hours-enabled']);

    const matches = server.requests.map(({ headers }) => headers['if-match']);
    expect(matches).toEqual([undefined, undefined, '"first"']);
  });

  test('sends nothing where nothing would change', async () => {
    const { server, machine } = await fakeService(answer(200, { quietHours: { enabled: true } }));

    const result = await machine.run(typed`settings save --quiet-hours-enabled`);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('No changes; nothing was sent.');
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('where a change in doubt could still set other values, saves the same ones: it is never sent again', async () => {
    const { service, machine } = await startStore();
    await machine.run(['settings', 'save', '--discovery-summary', 'Wanted']);
    const earlier = await seedChange(machine, service, {
      operation: 'settings.save',
      body: { discovery: { summary: 'Unwanted' } },
      state: 'unknown',
    });

    const saved = await machine.run(['settings', 'save', '--discovery-summary', 'Wanted']);

    expect(saved.exitCode).toBe(0);
    expect(saved.stderr).toContain(`No changes, but ${earlier.id} is in doubt and may still change them.`);
    await machine.run(['resume']);
    const { stdout } = await machine.run(['settings', 'show', '--json']);
    expect(JSON.parse(stdout).discovery.summary).toBe('Wanted');
    const { state, overtakenBy } = JSON.parse(
      (await machine.run(['history', 'show', earlier.id, '--json'])).stdout,
    );
    expect({ state, isOvertaken: overtakenBy !== null }).toEqual({ state: 'unknown', isOvertaken: true });
  });

  test('the output of settings show is input of settings save', async () => {
    const { machine } = await startStore();
    const { stdout } = await machine.run(['settings', 'show', '--json']);
    writeFileSync(path.join(machine.folder, 'settings.json'), stdout);

    const unchanged = await machine.run(['settings', 'save', '--from-file', 'settings.json', '--json']);
    const changed = await machine.run(
      typed`settings save --from-file settings.json --discovery-summary New --json`,
    );

    expect(unchanged).toMatchObject({ exitCode: 0, stdout });
    expect(changed.exitCode).toBe(0);
    const before = JSON.parse(stdout);
    const { updatedAt: _, ...after } = JSON.parse(changed.stdout);
    const { updatedAt: __, ...expected } = { ...before, discovery: { ...before.discovery, summary: 'New' } };
    expect(after).toEqual(expected);
  });
});

test('settings that the service nests too deeply are neither compared nor saved', async () => {
  const { server, machine } = await fakeService(answer(200, `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`));
  for (const verb of ['diff', 'save']) {
    expect(await machine.run(['settings', verb, '--quiet-hours-enabled'])).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('nested more than 500 levels deep'),
    });
  }
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

describe('settings diff', () => {
  test('shows what a save would change and saves nothing', async () => {
    const { machine } = await startStore();
    const before = await machine.run(['settings', 'show', '--json']);

    expect(await machine.run(['settings', 'diff', '--no-quiet-hours-enabled', '--exit-code'])).toMatchObject({
      exitCode: 6,
      stdout: 'Quiet hours enabled  yes → no\n',
      stderr: '',
    });
    const same = await machine.run(['settings', 'diff', '--quiet-hours-enabled', '--exit-code']);
    expect(same).toMatchObject({ exitCode: 0 });
    const added = await machine.run(['settings', 'diff', '--set', 'templates.x.title=Hi']);
    expect(added.stdout).toBe('Template x title  not set → Hi\n');
    expect(await machine.run(['settings', 'show', '--json'])).toEqual(before);
  });
});
