import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
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
    const { machine } = await setScene({ answers: [answer(200, foreign)] });

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
    const { server, machine } = await setScene({ answers: [answer(200, document)] });

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
      const { server, machine } = await setScene({
        answers: [answer(200, `{"loyalty":{"limit":${number}}}`)],
      });

      const result = await machine.run(typed`settings save --quiet-hours-enabled`);

      expect(result).toMatchObject({ exitCode: 7, stdout: '', stderr: expect.stringContaining(number) });
      expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  test('keeps every number that it can, however it is written', async () => {
    const numbers = '[1.0,0.30000000000000004,1e21,100000000000000000000,9007199254740991,-0.5]';
    const { server, machine } = await setScene({
      answers: [answer(200, `{"loyalty":{"limits":${numbers}}}`)],
    });

    await machine.run(['settings', 'save', '--quiet-hours-enabled']);

    expect(JSON.parse(server.requests[2]?.body ?? '').loyalty.limits).toEqual(JSON.parse(numbers));
  });

  test('sends If-Match where the service gave an ETag', async () => {
    const first = answer(200, { quietHours: { enabled: false } }, { etag: '"first"' });
    const { server, machine } = await setScene({ answers: [first] });

    await machine.run(['settings', 'save', '--quiet-hours-enabled']);

    const matches = server.requests.map(({ headers }) => headers['if-match']);
    expect(matches).toEqual([undefined, undefined, '"first"']);
  });

  test('sends nothing where nothing would change', async () => {
    const { server, machine } = await setScene({ answers: [answer(200, { quietHours: { enabled: true } })] });

    const result = await machine.run(typed`settings save --quiet-hours-enabled`);

    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('No changes; nothing was sent.');
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test('where a change in doubt could still set other values, saves the same ones: it is never sent again', async () => {
    const { access, machine } = await setScene();
    await machine.run(['settings', 'save', '--discovery-summary', 'Wanted']);
    const earlier = await seedChange(machine, access, {
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
    const { state, supersededBy } = JSON.parse(
      (await machine.run(['history', 'show', earlier.id, '--json'])).stdout,
    );
    expect({ state, isSuperseded: supersededBy !== null }).toEqual({ state: 'unknown', isSuperseded: true });
  });

  test('the output of settings show is input of settings save', async () => {
    const { machine } = await setScene();
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
  const { server, machine } = await setScene({
    answers: [answer(200, `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`)],
  });
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
    const { machine } = await setScene();
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

describe('names that are no settings', () => {
  test.each([
    [['--set', 'quiethours.start=20:00'], 'quiethours is not a setting (did you mean quietHours?)'],
    [
      ['--set', 'quietHours.strat=20:00'],
      'quietHours.strat is not a setting (did you mean quietHours.start?)',
    ],
    [
      ['--set', 'templates.dispute_opend.title=T'],
      'templates.dispute_opend is not a setting (did you mean templates.dispute_opened?)',
    ],
    [
      ['--set', 'templates.dispute_opened.tittle=T'],
      'templates.dispute_opened.tittle is not a setting (did you mean templates.dispute_opened.title?)',
    ],
  ])('%j is nearly one: save, its dry run and diff refuse it', async (flags, message) => {
    const { machine } = await setScene();

    for (const args of [['diff'], ['save'], ['save', '--dry-run']]) {
      const result = await machine.run(['settings', ...args, ...flags]);
      expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
    }
  });

  test('others are shown apart, with a warning, and are sent', async () => {
    const { server, machine } = await setScene({
      answers: [answer(200, { quietHours: { start: '22:00' } })],
    });
    const file = path.join(machine.folder, 's.yaml');
    writeFileSync(
      file,
      'settings:\n  quietHours:\n    start: "21:00"\nquietHours:\n  start: "21:00"\nloyalty: 5\n',
    );

    const diff = await machine.run(typed`settings diff --from-file s.yaml`);
    const json = await machine.run(typed`settings diff --from-file s.yaml --json`);
    const saved = await machine.run(typed`settings save --from-file s.yaml`);

    const warning =
      'warning: settings is not a setting that storectl knows; move quietHours out of it\n' +
      'warning: loyalty is not a setting that storectl knows; it is sent as it is\n';
    expect(diff).toMatchObject({
      exitCode: 0,
      stdout:
        'Quiet hours start  22:00 → 21:00\n\nNot settings that storectl knows:\n' +
        'settings.quietHours.start  not set → 21:00\nloyalty                    not set → 5\n',
      stderr: warning,
    });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { path: 'quietHours.start', known: true },
      { path: 'settings', known: false },
      { path: 'loyalty', known: false },
    ]);
    expect(saved.stderr).toContain(warning);
    expect(JSON.parse(server.requests.at(-1)?.body ?? '')).toMatchObject({ loyalty: 5 });
  });

  test('a name that the service has is right, however near it is to another one', async () => {
    const { server, machine } = await setScene({
      answers: [answer(200, { quietHour: 1, quietHours: { start: '22:00' } })],
    });

    const { exitCode } = await machine.run(['settings', 'save', '--set', 'quietHour=2']);

    expect(exitCode).toBe(0);
    expect(JSON.parse(server.requests.at(-1)?.body ?? '').quietHour).toBe(2);
  });
});

test('settings diff refuses what settings save refuses', async () => {
  const { machine } = await setScene();
  const old = JSON.parse((await machine.run(typed`settings show --json`)).stdout);
  await machine.run(['settings', 'save', '--discovery-summary', 'Theirs']);
  const body = { ...old, updatedAt: '2020-01-01T00:00:00.000Z' };
  writeFileSync(path.join(machine.folder, 'old.json'), JSON.stringify(body));

  for (const verb of ['diff', 'save']) {
    expect(await machine.run(typed`settings ${verb} --from-file old.json`)).toMatchObject({
      exitCode: 6,
      stderr: expect.stringContaining('the settings were changed after your input was read'),
    });
  }
});

describe('settings show --yaml', () => {
  test('prints what settings save takes, with the names of templates', async () => {
    const { machine } = await setScene();
    const discovery = { summary: 'a: b # c', categories: ['no', '1.10'] };
    await machine.run(['settings', 'save', '--set', `discovery=${JSON.stringify(discovery)}`]);
    await machine.run(['settings', 'save', '--set', 'quietHours.start=20:00']);
    const { stdout } = await machine.run(typed`settings show --yaml`);
    writeFileSync(path.join(machine.folder, 's.yaml'), stdout);

    expect(stdout).toMatch(
      /^# Events that a template can have:\n# {3}store_updated, .*\n(#.*\n)+templates:/m,
    );
    expect(stdout).toContain('start: "20:00"');
    expect(stdout).not.toContain('updatedAt');
    const saved = await machine.run(typed`settings save --from-file s.yaml`);
    expect(saved).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('No changes; nothing was sent.'),
    });
  });

  test('text that acts on a terminal comes back as it was', async () => {
    const { server, machine } = await setScene({
      answers: [answer(200, { discovery: { summary: '\u001b[31m\u202ered\u009b', '\u202ename': 1 } })],
    });

    const { stdout } = await machine.run(typed`settings show --yaml`);
    writeFileSync(path.join(machine.folder, 's.yaml'), stdout);
    await machine.run(typed`settings save --from-file s.yaml --set x=1`);

    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\u001b\u202e\u009b]/);
    expect(JSON.parse(server.requests.at(-1)?.body ?? '').discovery).toEqual({
      summary: '\u001b[31m\u202ered\u009b',
      '\u202ename': 1,
    });
  });

  test.each(['--json', '--quiet', '--fields=storeId'])('is not printed with %s', async (flag) => {
    const { exitCode } = await (await setScene()).machine.run(['settings', 'show', '--yaml', flag]);

    expect(exitCode).toBe(2);
  });
});
