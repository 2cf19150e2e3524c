import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { styleOf } from '../../../src/cli/output/style.ts';
import { renderRecord, renderTable } from '../../../src/cli/output/tables.ts';
import { filesBelow, newMachine } from '../../helpers/cli.ts';
import { newProgramMachine, programLine } from '../../helpers/program.ts';
import { setScene } from '../../helpers/scene.ts';
import { startService } from '../../helpers/service.ts';
import { openTerminal } from '../../helpers/terminal.ts';
import { typed } from '../../helpers/typed.ts';

const terminal = { isTTY: true, columns: 60 };

describe('--fields with a name that is not there', () => {
  test('names what is there, the nearest and the nested too', async () => {
    const { service, machine } = await setScene();
    const { exitCode, stdout, stderr } = await machine.run([
      ...['disputes', 'show', service.example.disputes[0]?.id ?? '', '--fields', 'status,record.statsu'],
    ]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: 'unknown_field',
      message:
        'unknown fields: status (did you mean record.status?), record.statsu (did you mean record.status?)',
      hint: expect.stringMatching(/^fields: record\.status, .*; --json prints all fields$/),
      fields: [
        { field: 'status', flag: '--fields' },
        { field: 'record.statsu', flag: '--fields' },
      ],
    });
  });

  test('suggests nothing for a name that resembles no field', async () => {
    const { machine } = await setScene();
    const { stderr } = await machine.run(['settings', 'show', '--fields', 'nope']);

    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'unknown field: nope',
      hint: expect.stringMatching(/^fields: /),
    });
  });

  test('a change is refused before it is sent', async () => {
    const { machine } = await setScene();
    const { exitCode, stdout, stderr } = await machine.run(
      typed`backup create --label one --sections store --fields lable,label`,
    );

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'unknown field: lable (did you mean label?)',
      outcome: 'not_sent',
    });
    const { stdout: records } = await machine.run(['history', 'list', '--json']);
    expect(JSON.parse(records)).toEqual([]);
  });

  test('names in a map, which the contract cannot know, are accepted', async () => {
    const { machine } = await setScene();
    const { exitCode } = await machine.run(
      typed`settings save --quiet-hours-start 21:00 --fields templates.mine.title`,
    );

    expect(exitCode).toBe(0);
  });

  test('in a list, where no item has it; where one has it, it is null in the others', async () => {
    const machine = newMachine();
    const { stdout, stderr } = await machine.run(['--demo', 'doctor', '--fields', 'check,statsu']);

    expect(JSON.parse(stdout)[0]).toEqual({ check: 'settings', statsu: null });
    expect(stderr).toMatch(/^unknown field: statsu \(the response has: status, /m);
    expect(stderr).not.toContain('field check');
  });
});

test('--fields with an unknown name is the same error for each list', async () => {
  const machine = newMachine();
  await machine.run(['profile', 'set', 'main', '--base-url', 'http://127.0.0.1:1', '--store', 's']);
  await machine.run(['service', 'stores', 'create', '--name', 'One']);
  for (const list of [
    ['profile', 'list'],
    ['service', 'stores', 'list'],
    ['--demo', 'backup', 'list'],
  ]) {
    const { exitCode, stdout, stderr } = await machine.run([...list, '--fields', 'nope']);
    expect({ list, exitCode, stdout }).toEqual({ list, exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '').error.message).toBe('unknown field: nope');
  }
});

describe('--fields of what is no operation', () => {
  test.each([
    [['demo', 'info'], 'storeId', { storeId: expect.any(String) }],
    [['auth', 'status'], 'profile,access', { profile: 'demo', access: 'works' }],
    [['profile', 'list'], 'name', []],
    [['doctor'], 'check', expect.arrayContaining([{ check: 'settings' }])],
    [['history', 'list'], 'operation,state', [{ operation: 'backup.create', state: 'applied' }]],
    [['history', 'show', '{record}'], 'response.status', { response: { status: 201 } }],
    [['history', 'prune', '--older-than', '1d'], 'removed', { removed: [] }],
    [['resume'], 'id', []],
    [['settings', 'diff', '--quiet-hours-start', '20:30'], 'path', [{ path: expect.any(String) }]],
    [
      ['settings', 'save', '--quiet-hours-start', '20:30', '--dry-run'],
      'body.quietHours',
      { body: { quietHours: { start: '20:30' } } },
    ],
    [['api', 'DELETE', '/v1/x', '--dry-run'], 'method', { method: 'DELETE' }],
    [
      ['blog', 'create', 'a.md', 'b.md', '--dry-run'],
      'slug,plan',
      [
        { slug: 'a', plan: 'create' },
        { slug: 'b', plan: 'create' },
      ],
    ],
  ])('%j', async (args, fields, expected) => {
    const machine = newMachine();
    for (const name of ['a.md', 'b.md'])
      writeFileSync(path.join(machine.folder, name), `# Post ${name}\n\nText.\n`);
    const made = await machine.run(typed`--demo backup create --label first --sections store --json`);
    expect(made.exitCode).toBe(0);
    const { stdout: records } = await machine.run(['--demo', 'history', 'list', '-q']);
    const words = args.map((word) => (word === '{record}' ? records.trim() : word));
    const { stdout } = await machine.run(['--demo', ...words, '--fields', fields]);

    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('the plan of many decisions', async () => {
    const { service, machine } = await setScene();
    const id = service.example.disputes.find(({ status }) => status === 'open')?.id ?? '';
    writeFileSync(path.join(machine.folder, 'd.csv'), `disputeId,status,resolution\n${id},won,Seen\n`);
    const { stdout } = await machine.run(
      typed`disputes decide --from d.csv --dry-run --fields disputeId,plan`,
    );

    expect(JSON.parse(stdout)).toEqual([{ disputeId: id, plan: 'decide' }]);
  });

  test.each([
    [['service', 'stores', 'create', '--name', 'One'], 'slug', { slug: 'one' }],
    [['service', 'keys', 'create', '--store', '{store}'], 'id', { id: expect.any(String) }],
    [['service', 'keys', 'list', '--store', '{store}'], 'state', [{ state: 'active' }]],
    [['service', 'deliveries', 'list'], 'id', []],
    [
      ['service', 'emit', '--store', '{store}', '--event', 'feedback_digest'],
      'id',
      { id: expect.any(String) },
    ],
  ])('%j', async (args, fields, expected) => {
    const machine = newMachine();
    const { stdout: made } = await machine.run(['service', 'stores', 'create', '--name', 'First', '-q']);
    const store = made.trim();
    await machine.run(['service', 'keys', 'create', '--store', store]);
    const words = args.map((word) => (word === '{store}' ? store : word));
    const { stdout } = await machine.run([...words, '--fields', fields]);

    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('a completion script has no fields to choose from', async () => {
    const { exitCode, stdout, stderr } = await newMachine().run(['completion', 'bash', '--fields', 'id']);

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toBe('this command does not support --fields');
  });
});

test('what changes the set-up answers --json too, with one document that holds no key', async () => {
  const service = await startService();
  const machine = newMachine();
  const { origin: baseUrl, storeId, apiKey } = service;
  const run = async (...args: string[]) => {
    const { stdout, exitCode } = await machine.run([...args, '--json'], { stdin: apiKey });
    return { exitCode, printed: JSON.parse(stdout) };
  };
  const main = { name: 'main', baseUrl, storeId, keyBaseUrl: baseUrl, key: true, file: expect.any(String) };
  const { keyBaseUrl: _, ...loggedOut } = { ...main, key: false };
  const elsewhere = { ...loggedOut, name: 'other', baseUrl: 'https://other.example.com' };

  const connection = ['--base-url', baseUrl, '--store', storeId];
  expect(await run('auth', 'login', ...connection, '--with-key')).toEqual({ exitCode: 0, printed: main });
  expect((await run('auth', 'logout')).printed).toEqual(loggedOut);
  expect(
    (await run('profile', 'set', 'other', '--base-url', elsewhere.baseUrl, '--store', storeId)).printed,
  ).toEqual(elsewhere);
  expect((await run('profile', 'use', 'other')).printed).toEqual(elsewhere);
  expect((await run('profile', 'use', 'demo')).printed).toEqual({ name: 'demo' });
  expect((await run('profile', 'remove', 'other', '--confirm', 'other')).printed).toEqual({ name: 'other' });
  expect((await run('demo', 'reset', '--confirm', 'demo')).printed).toEqual({
    directory: expect.any(String),
  });
});

describe('the token of a webhook', () => {
  const address = 'https://discord.com/api/webhooks/1/';
  const token = 'SECRET-tok_1';
  const add = ['notify', 'add-endpoint', '--kind', 'discord', '--name', 'Team', '--url', address + token];
  const events = ['--events', 'feedback_digest'];

  test.each([[[]], [['--json']]])('is not in a dry run %j', async (flags) => {
    const { machine } = await setScene();
    const { exitCode, stdout, stderr } = await machine.run([...add, ...events, '--dry-run', ...flags]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${address}***`);
    expect(stdout + stderr).not.toContain(token);
  });

  test('is not shown by the history, which keeps it to send it again', async () => {
    const { machine } = await setScene();
    expect((await machine.run([...add, ...events, '-q'])).exitCode).toBe(0);
    const id = (await machine.run(['history', 'list', '-q'])).stdout.trim();

    for (const flags of [[], ['--json'], ['--fields', 'body']]) {
      const { stdout, stderr } = await machine.run(['history', 'show', id, ...flags]);
      expect(stdout).toContain(`${address}***`);
      expect(stdout + stderr).not.toContain(token);
    }
    const kept = filesBelow(machine.stateDirectory).map((file) => readFileSync(file, 'utf8'));
    expect(kept.join()).toContain(token);
  });
});

describe('STORECTL_ACCESSIBLE=1', () => {
  test('a record is a line for each field, a table a block for each row, without color', async () => {
    const style = await styleOf(terminal, { STORECTL_ACCESSIBLE: '1' });

    expect(
      renderRecord(
        [
          ['id', '1'],
          ['long label', 'x '.repeat(50).trim()],
        ],
        style,
      ),
    ).toBe(`id: 1\nlong label: ${'x '.repeat(50).trim()}`);
    expect(
      renderTable(
        ['name', 'state'],
        [
          ['a', 'open'],
          ['b', 'won'],
        ],
        style,
      ),
    ).toBe('Name: a\nState: open\n\nName: b\nState: won');
  });

  test('commands print so', async () => {
    const { machine } = await setScene();
    const env = { STORECTL_ACCESSIBLE: '1' };

    const made = await machine.run(['backup', 'create', '--label', 'one', '--sections', 'store,blog'], {
      env,
    });
    const listed = await machine.run(['history', 'list'], { env });

    expect(made.stdout).toMatch(
      /^ID: [-0-9a-f]{36}\nVersion: 1\nLabel: one\nSections: store, blog\nCreated: .*\n$/,
    );
    expect(listed.stdout).toMatch(
      /^ID: \S+\nAge: now\nOperation: backup\.create\nLabel: one\nResult: applied \S+\n$/,
    );
  });
});

describe('the pager', () => {
  async function open(env: Record<string, string>) {
    const machine = newProgramMachine(env);
    const profiles = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`store${index}`, { storeId: `${index}` }]),
    );
    mkdirSync(machine.configDirectory, { mode: 0o700 });
    writeFileSync(path.join(machine.configDirectory, 'settings.json'), JSON.stringify({ profiles }), {
      mode: 0o600,
    });
    const screen = await openTerminal(machine.folder, machine.env);
    screen.type(`alias storectl="${programLine}"; stty rows 8; clear`);
    return screen;
  }

  test('shows what is longer than the screen, and leaving it early is no error', async () => {
    const screen = await open({ PAGER: 'echo PAGED; head -n 2' });

    screen.type('storectl profile list; echo exit $?');

    const shown = await screen.shows(/exit \d+/);
    expect(shown).toMatch(/PAGED\nNAME .*\nstore0 .*\nexit 0/);
  });

  test.each([
    ['--no-input', {}, 'storectl profile list --no-input'],
    ['--json', {}, 'storectl profile list --json'],
    ['PAGER=cat', { PAGER: 'cat' }, 'storectl profile list'],
    ['CI', { CI: 'true' }, 'storectl profile list'],
    ['a screen reader', { STORECTL_ACCESSIBLE: '1' }, 'storectl profile list'],
    ['a pipe', {}, 'storectl profile list | cat'],
    ['a program that is not there', { PAGER: 'no-such-pager' }, 'storectl profile list'],
  ])('is not used with %s', async (_, env, line) => {
    const screen = await open({ PAGER: 'echo PAGED; cat', ...env });

    screen.type(`${line}; echo exit $?`);

    const shown = await screen.shows(/exit \d+/);
    expect(shown).toContain('exit 0');
    expect(shown).toContain('store9');
    expect(shown).not.toContain('PAGED');
  });
});

test('an error is red at its beginning where colors are wanted', async () => {
  const { stderr } = await newMachine({ FORCE_COLOR: '1' }).run(['settings', 'show']);

  expect(stderr.startsWith('\u001b[31merror:\u001b[39m ')).toBe(true);
});
