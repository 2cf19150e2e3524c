import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';

const target = { storeId: 'store-1', apiKey: 'some-long-key' };
const update = ['store', 'update'];

interface Wrong {
  readonly args: readonly string[];
  readonly says: string;
  readonly stdin?: string;
  readonly file?: string | Buffer;
}

const wrong: Readonly<Record<string, Wrong>> = {
  'unknown noun, with the nearest': { args: ['stroe', 'update'], says: 'did you mean `store`?' },
  'unknown verb, with the nearest': { args: ['backup', 'crate'], says: 'did you mean `create`?' },
  'unknown flag, with the nearest': {
    args: [...update, '--cashback-pb', '1'],
    says: 'did you mean `--cashback-bp`?',
  },
  'unknown global flag': { args: ['--jsno', 'settings', 'show'], says: 'did you mean `--json`?' },
  'one argument too many': {
    args: ['disputes', 'show', 'a', 'b'],
    says: 'too many arguments: 2 given, 1 expected',
  },
  'flag without its value': { args: [...update, '--name'], says: '--name needs a value' },
  'a flag instead of a value': {
    args: [...update, '--name', '--dry-run'],
    says: '--dry-run is a flag; for a value that begins with a dash, write --name=VALUE',
  },
  'a short flag instead of a value': {
    args: ['settings', 'show', '--store', '-q'],
    says: '--store needs a value',
  },
  'a flag with a value instead of a value': {
    args: ['--store', '--profile=main', 'settings', 'show'],
    says: '--store needs a value',
  },
  'a switch with a value': {
    args: ['settings', 'show', '--quiet=false'],
    says: '--quiet takes no value',
  },
  'a switch with a value that --no- turns off': {
    args: [...update, '--checkout-coupon-field=false'],
    says: 'use --no-checkout-coupon-field',
  },
  'a switch with a value of its own': {
    args: [...update, '--checkout-coupon-field', 'true'],
    says: 'use --checkout-coupon-field alone',
  },
  'a switch that is off, with a value': {
    args: ['notify', 'add-endpoint', '--no-enabled=true'],
    says: 'use --no-enabled alone',
  },
  'help of an unknown command': { args: ['help', 'backup', 'craete'], says: 'did you mean `create`?' },
  'help of an unknown noun': { args: ['stroe', '--help'], says: 'did you mean `store`?' },
  'verb before noun': { args: ['list', 'backups'], says: 'did you mean `storectl backup list`?' },
  'another verb before noun': { args: ['show', 'dispute'], says: 'did you mean `storectl disputes show`?' },
  'what cannot be deleted': { args: ['backup', 'delete', 'x'], says: 'the service cannot delete it' },
  'a format of other tools': { args: ['-o', 'json', 'backup', 'list'], says: 'did you mean `--json`?' },
  'stores, which have no list': {
    args: ['stores'],
    says: 'to see the stores of your profiles: `storectl profile list`',
  },
  'the key on an empty standard input': {
    args: ['auth', 'login', '--with-key'],
    says: 'standard input (--with-key) is empty',
  },
  'decimals in basis points': {
    args: [...update, '--cashback-bp', '2.5'],
    says: '--cashback-bp must be a whole number (got "2.5")',
  },
  'a number with its unit': {
    args: [...update, '--cashback-bp', '250bp'],
    says: 'use a whole number without a unit; basis points: 250 is 2.5 %',
  },
  'a percentage': {
    args: [...update, '--tax-rate-bp', '19%'],
    says: '--tax-rate-bp must be a whole number (got "19%")',
  },
  'a number in words': {
    args: [...update, '--cashback-bp', 'all'],
    says: 'must be a whole number (got "all")',
  },
  'a number in hexadecimal': { args: [...update, '--cashback-bp', '0x10'], says: 'must be a whole number' },
  'an empty number': { args: [...update, '--cashback-bp', ''], says: 'must be a whole number' },
  'decimals through --set': {
    args: [...update, '--set', 'settings.cashbackBp=2.5'],
    says: '--cashback-bp must be a whole number (got 2.5)',
  },
  'a wrong type through --set': {
    args: [...update, '--set', 'settings.checkout.couponField=maybe'],
    says: '--checkout-coupon-field must be true or false (got "maybe")',
  },
  'no e-mail address': {
    args: [...update, '--support-email', 'me'],
    says: '--support-email must be an email address',
  },
  'no UUID': { args: [...update, '--logo-image-id', 'logo'], says: '--logo-image-id must be a UUID' },
  'no URL': {
    args: ['notify', 'add-endpoint', '--name', 'n', '--events', 'e', '--url', 'nowhere'],
    says: '--url must be a whole URL that begins with https://',
  },
  'an empty list': {
    args: ['blog', 'create', '--title', 't', '--content-md', 'c', '--tags', ''],
    says: '--tags needs a value',
  },
  'a map without =': {
    args: [...update, '--social', 'discord'],
    says: '--social must be NAME=VALUE (got "discord")',
  },
  '--set without =': { args: [...update, '--set', 'name'], says: '--set must be PATH=VALUE' },
  '--set without a path': { args: [...update, '--set', '=1'], says: '--set must be PATH=VALUE' },
  '--set with an empty name': { args: [...update, '--set', 'a..b=1'], says: 'has an empty name' },
  '--set with a dot at its end': { args: [...update, '--set', 'a.=1'], says: 'has an empty name' },
  'ids and --all': { args: ['notify', 'mark-read', 'a', '--all'], says: '--all cannot be used with ids' },
  'two readers of standard input': {
    args: ['blog', 'create', '--from-file', '-', '--content-file', '-'],
    says: 'only one flag can read standard input (given: --from-file, --content-file)',
  },
  'a file that is not there': {
    args: [...update, '--from-file', 'none.json'],
    says: 'cannot read none.json',
  },
  'a folder as file': { args: [...update, '--from-file', 'folder'], says: 'is a directory' },
  'a text that is not UTF-8': {
    args: ['blog', 'create', '--title', 't', '--content-file', 'file'],
    file: Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]),
    says: 'file (--content-file) is not UTF-8 text',
  },
  'a body that is not UTF-8': {
    args: [...update, '--from-file', 'file'],
    file: Buffer.from('{"name":"\xfc"}', 'latin1'),
    says: 'file (--from-file) is not UTF-8 text',
  },
  'a list as body': {
    args: [...update, '--from-file', 'file'],
    file: '[{"name":"a"}]',
    says: 'must be an object (got a list)',
  },
  'a text as body': {
    args: [...update, '--from-file', '-'],
    stdin: 'just words',
    says: 'standard input (--from-file) must be an object (got a single value)',
  },
  'nothing as body': {
    args: [...update, '--from-file', '-'],
    says: 'standard input (--from-file) is empty',
  },
  'an empty file as body': {
    args: [...update, '--from-file', 'file'],
    file: ' \n',
    says: 'file (--from-file) is empty',
  },
  'a list of decisions as one': {
    args: ['disputes', 'decide', '--from-file', 'all.csv'],
    says: 'for a list, use --from all.csv',
  },
  'a field in front matter, with the nearest': {
    args: ['blog', 'create', 'file'],
    file: '---\ntitle: a\nstatsu: draft\n---\nb\n',
    says: 'file:3: unknown field: statsu (did you mean status?)',
  },
  'a misspelt title in one of several posts': {
    args: ['blog', 'create', 'file', 'file'],
    file: '---\ntitel: a\n---\nb\n',
    says: 'file:2: unknown field: titel (did you mean title?)',
  },
  'a status that is none': {
    args: ['disputes', 'list', '--status', 'opne'],
    says: 'use one of open, won, lost, withdrawn',
  },
  'neither JSON nor YAML': {
    args: [...update, '--from-file', 'file'],
    file: '{"name": "a"\n b: [',
    says: 'file (--from-file) is not valid: invalid JSON in line 2',
  },
  'a YAML tag that means nothing here': {
    args: [...update, '--from-file', 'file'],
    file: 'name: !!js/function "x"\n',
    says: 'invalid YAML in line 1 (name: !!js/function',
  },
  'an id with a slash': { args: ['disputes', 'show', 'a/b'], says: '<disputeId> must not contain a slash' },
  'an id with a backslash': {
    args: ['disputes', 'show', 'a\\b'],
    says: '<disputeId> must not contain a slash',
  },
  'an id that leads up': { args: ['disputes', 'show', '..'], says: '<disputeId> must not be "." or ".."' },
  'an empty id': { args: ['disputes', 'show', ''], says: '<disputeId> is empty' },
  'an id with a space': { args: ['disputes', 'show', 'a b'], says: '<disputeId> must not contain spaces' },
  'a store id that leads up': {
    args: ['--store', '../x', 'settings', 'show'],
    says: '--store must not contain',
  },
  'an empty store id': {
    args: ['settings', 'show', '--store', ''],
    says: '--store needs a value',
  },
  'an empty base URL': {
    args: ['settings', 'show', '--base-url='],
    says: '--base-url needs a value',
  },
  'a base URL that is no http': {
    args: ['settings', 'show', '--base-url', 'ftp://h'],
    says: 'must be an http or https URL',
  },
  'a base URL that is a file': {
    args: ['settings', 'show', '--base-url', 'file:///etc/passwd'],
    says: 'must be an http or https URL',
  },
  'a base URL in clear to another host': {
    args: ['settings', 'show', '--base-url', 'http://api.example.com'],
    says: 'HTTPS is required (except for localhost)',
  },
  'a base URL with a password': {
    args: ['settings', 'show', '--base-url', 'https://me:secret@h'],
    says: 'must not contain a user name or a password',
  },
  '--demo with --base-url': {
    args: ['--demo', 'settings', 'show', '--base-url', 'https://h'],
    says: '--demo and --base-url cannot be used together',
  },
  '--demo with another profile': {
    args: ['--demo', '--profile', 'main', 'settings', 'show'],
    says: '--demo and --profile cannot be used together',
  },
  'a profile that is not there': {
    args: ['--profile', 'none', 'profile', 'show'],
    says: 'profile "none" not found',
  },
  'a profile name that is a path': {
    args: ['--profile', '../x', 'settings', 'show'],
    says: 'invalid profile name "../x"',
  },
  ...Object.fromEntries(
    ['0', '-1', 'soon', '1e3', '', '86401', 'NaN', ' 5'].map((text) => [
      `--timeout ${JSON.stringify(text)}`,
      { args: ['settings', 'show', `--timeout=${text}`], says: '--timeout must be a number of seconds' },
    ]),
  ),
  ...Object.fromEntries(
    [501, 3_000, 50_000].flatMap((levels) => {
      const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const says = 'nested more than 500 levels deep';
      return [
        [
          `settings save, ${levels} levels deep`,
          { args: ['settings', 'save', '--from-file', 'file'], file: deep, says },
        ],
        [
          `settings diff, ${levels} levels deep`,
          { args: ['settings', 'diff', '--from-file', '-'], stdin: deep, says },
        ],
        [`--set, ${levels} levels deep`, { args: [...update, '--set', `x=${deep}`], says }],
        [`--field, ${levels} levels deep`, { args: ['api', 'POST', '/v1', '-f', `x=${deep}`], says }],
        [
          `--input, ${levels} levels deep`,
          { args: ['api', 'POST', '/v1', '--input', 'file'], file: deep, says },
        ],
        [
          `a path of ${levels} names`,
          { args: [...update, '--set', `${'a.'.repeat(levels)}b=1`], says: 'more than 500 levels' },
        ],
      ];
    }),
  ),
  'a bracket that is not closed': {
    args: ['api', 'POST', '/v1', '-f', 'a[b=1'],
    says: 'invalid field name before =',
  },
  'a list without a name': {
    args: ['api', 'POST', '/v1', '-f', '[]=1'],
    says: 'has an empty name',
  },
  'a method that is none': {
    args: ['api', 'BREW', '/v1'],
    says: 'use one of GET, HEAD, POST, PUT, PATCH, DELETE',
  },
  '--idempotency-from elsewhere': {
    args: ['backup', 'create', '--label', 'l', '--sections', 's', '--idempotency-from', 'time'],
    says: '--idempotency-from must be "ci"',
  },
  '--idempotency-from outside of CI': {
    args: ['backup', 'create', '--label', 'l', '--sections', 's', '--idempotency-from', 'ci'],
    says: 'works only in a CI job',
  },
};

describe('wrong usage is refused before anything is sent', () => {
  test.each(Object.entries(wrong))('%s', async (_, { args, says, stdin = '', file }) => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = machineFor({ origin: server.url, ...target });
    mkdirSync(path.join(machine.folder, 'folder'));
    if (file !== undefined) writeFileSync(path.join(machine.folder, 'file'), file);

    const forPeople = await machine.run(args, { stdin });
    const forPrograms = await machine.run(['--json', ...args], { stdin });

    expect(forPeople).toMatchObject({ exitCode: 2, stdout: '' });
    expect(forPeople.stderr).toMatch(/^error: \S/);
    expect(forPeople.stderr).toContain(says);
    expect(forPrograms).toMatchObject({ exitCode: 2, stdout: '' });
    const { error, ...rest } = JSON.parse(forPrograms.stderr);
    expect(rest).toEqual({});
    expect(error).toMatchObject({ code: expect.stringMatching(/^[a-z_]+$/), outcome: 'not_sent' });
    expect(`${error.message}\n${error.hint}`).toContain(says);
    expect(server.connections).toBe(0);
  });

  test.each([
    [update, 'nothing to change\n  pass at least one field'],
    [['notify', 'mark-read'], 'no notifications given\n  pass ids, --before TIME, or --all'],
  ])('what a terminal would ask is exit 3: %s', async (args, says) => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = machineFor({ origin: server.url, ...target });

    const { exitCode, stderr } = await machine.run(args);

    expect(exitCode).toBe(3);
    expect(stderr).toContain(says);
    expect(server.connections).toBe(0);
  });

  test('a base URL that is invalid names what has set it', async () => {
    const machine = newMachine();
    const folder = machine.configDirectory;
    mkdirSync(folder, { mode: 0o700 });
    const profiles = { outlet: { baseUrl: 'api.example.com', storeId: 'store-1' } };
    const settings = JSON.stringify({ current: 'outlet', profiles });
    writeFileSync(path.join(folder, 'settings.json'), settings, { mode: 0o600 });
    const stderrOf = async (args: string[], env = {}) =>
      (await machine.run(['settings', 'show', ...args], { env })).stderr;

    const what = 'error: the base URL must be an http or https URL, for example https://api.example.com\n';
    expect(await stderrOf(['--base-url', 'h'])).toBe(`${what}  change --base-url\n`);
    expect(await stderrOf([], { STORECTL_BASE_URL: 'h' })).toBe(`${what}  change STORECTL_BASE_URL\n`);
    expect(await stderrOf([])).toBe(
      `${what}  run \`storectl profile set outlet --base-url URL\` to change it\n`,
    );
  });

  test('several invalid values are named at once, each with its flag', async () => {
    const machine = machineFor({ origin: 'https://api.example.com', ...target });

    const { exitCode, stderr } = await machine.run([
      ...update,
      '--json',
      '--set',
      'settings.cashbackBp=2.5',
      '--support-email',
      'x',
      '--set',
      'settings.socials.discord=1',
    ]);

    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr).error.fields).toEqual([
      { field: 'settings.supportEmail', flag: '--support-email', detail: expect.any(String) },
      {
        field: 'settings.cashbackBp',
        flag: '--cashback-bp',
        detail: 'must be a whole number (got 2.5)',
      },
      {
        field: 'settings.socials.discord',
        flag: '--social',
        detail: 'must be text (got 1)',
      },
    ]);
  });

  test('--fields and --quiet cannot be used together', async () => {
    const result = await newMachine().run(['--demo', 'settings', 'show', '-q', '--fields', 'quietHours']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(result.stderr).error.message).toBe('--fields and --quiet cannot be used together');
  });

  test('--fields with an empty name is refused, in JSON since it implies --json', async () => {
    const result = await newMachine().run(['settings', 'show', '--fields', 'a,,b']);

    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(result.stderr).error.message).toContain('has an empty name');
  });
});

const baseUrl = '--base-url URL';
const store = '--store ID';

/** Everything that each command cannot do without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'blog create': [baseUrl, store, '--title TEXT', '--content-md TEXT or --content-file FILE'],
  'disputes decide': [
    baseUrl,
    store,
    '<disputeId>',
    '--status TEXT',
    '--resolution TEXT or --resolution-file FILE',
    '--confirm <disputeId>',
  ],
  'settings show': [baseUrl, store],
  'settings save --quiet-hours-enabled': [baseUrl, store],
  'settings diff --quiet-hours-enabled': [baseUrl, store],
  'store update --name x': [baseUrl, store],
  'disputes open': [baseUrl, store, '--reason TEXT or --reason-file FILE'],
  'disputes show': [baseUrl, store, '<disputeId>'],
  'backup create': [baseUrl, store, '--label TEXT', '--sections A,B'],
  'backup restore': [baseUrl, store, '<backupId>', '--sections A,B', '--confirm <backupId>'],
  'reclaim appeal': [
    baseUrl,
    store,
    '<reclaimId>',
    '--text TEXT or --text-file FILE',
    '--confirm <reclaimId>',
  ],
  'notify add-endpoint': [baseUrl, store, '--name TEXT', '--url TEXT', '--events A,B'],
  'notify mark-read --all': [baseUrl, store],
  'auth login': [baseUrl, store, '--with-key < FILE'],
  'auth login --with-key': [baseUrl, store],
  'profile set': ['<name>'],
  'profile use': ['<name>'],
  'profile remove': ['<name>', '--confirm NAME'],
  'demo reset': ['--confirm demo'],
  'history show': ['<id>'],
  'history prune': ['--older-than AGE'],
  'service stores create': ['--name TEXT'],
  'service keys create': ['--store ID'],
};

test('auth login without flags does not advise to run auth login', async () => {
  const { stderr } = await newMachine().run(['auth', 'login']);

  expect(stderr).toMatch(/ {2}--store ID +Store to work on\n(.*\n)* {2}add them to the command, or run/);
  expect(stderr).not.toContain('run `storectl auth login`');
});

describe('what is missing is exit 3, all of it at once', () => {
  test.each(Object.entries(needed))('%s', async (name, flags) => {
    const args = name.split(' ');
    const machine = newMachine();

    const forPeople = await machine.run(args);
    const forPrograms = await machine.run([...args, '--json']);

    expect(forPeople).toMatchObject({ exitCode: 3, stdout: '' });
    const listed = forPeople.stderr.split('\n').filter((line) => /^(error:| ) ?(--|<)/.test(line));
    const shown = listed.map(
      (line) =>
        line
          .replace(/^error:|is required.*/g, '')
          .trim()
          .split(/ {2,}/)[0],
    );
    expect(shown).toEqual(flags);
    expect(forPrograms).toMatchObject({ exitCode: 3, stdout: '' });
    const { error } = JSON.parse(forPrograms.stderr);
    expect(error).toMatchObject({ code: 'input_needed', outcome: 'not_sent', hint: expect.any(String) });
    expect(error.fields.map(({ flag }: { flag: string }) => flag)).toEqual(
      flags.map((text) => text.split(' ')[0]),
    );
  });

  test('what is given is not asked for, and the id is named in the confirmation', async () => {
    const machine = machineFor({ origin: 'https://api.example.com', ...target });

    const { exitCode, stderr } = await machine.run([
      'disputes',
      'decide',
      '5f0c',
      '--status',
      'won',
      '--json',
    ]);

    expect(exitCode).toBe(3);
    expect(JSON.parse(stderr).error.fields).toMatchObject([
      { field: 'resolution', flag: '--resolution' },
      { field: 'confirm', flag: '--confirm' },
    ]);
  });

  test('without a key it is exit 4, and nothing is sent', async () => {
    await using server = await startFaultServer([answer(200, {})]);
    const machine = newMachine({ STORECTL_BASE_URL: server.url, STORECTL_STORE_ID: 's' });

    const result = await machine.run(['settings', 'show', '--json']);

    expect(result).toMatchObject({ exitCode: 4, stdout: '' });
    expect(JSON.parse(result.stderr).error).toMatchObject({ code: 'no_key', outcome: 'not_sent' });
    expect(server.connections).toBe(0);
  });
});

/** What people type first, and the command that the error names. */
const triedFirst: Readonly<Record<string, string>> = {
  login: 'storectl auth login',
  logout: 'storectl auth logout',
  whoami: 'storectl auth status',
  version: 'storectl --version',
  '-v': 'storectl --version',
  list: 'storectl history list',
  ls: 'storectl history list',
  'store show': 'cannot show a store',
  'store get': 'cannot show a store',
  'store edit': 'storectl store update',
  'settings get': 'storectl settings show',
  'settings set': 'storectl settings save',
  'settings list': 'storectl settings show',
  'disputes get': 'storectl disputes show',
  'dispute get 5f0c': 'storectl disputes show',
  'disputes ls': 'storectl disputes list',
  disputes_: 'did you mean `disputes`?',
  backups: 'storectl backup list',
  'backups create': 'storectl backup create',
  'backup show 5f0c': 'storectl backup list',
  posts: 'storectl blog list',
  'post new': 'storectl blog create',
  'blog show': 'storectl blog list',
  'blog publish': 'cannot change a post',
  'blog update 5f0c': 'cannot change a post',
  'post edit': 'cannot change a post',
  webhooks: 'storectl notify add-endpoint',
  'webhook create': 'storectl notify add-endpoint',
  notifications: 'storectl notify list',
  'endpoints add': 'storectl notify add-endpoint',
  'reclaim show': 'storectl reclaim list',
  logs: 'storectl history list',
  'history ls': 'storectl history list',
  'auth whoami': 'storectl auth status',
  'auth rotate-key': 'then run `storectl auth login`',
  'profile get': 'storectl profile show',
  'profile delete': 'storectl profile remove',
  'profile rm main': 'storectl profile remove',
  restore: 'storectl backup restore',
  decide: 'storectl disputes decide',
  'update --name x': 'storectl store update',
  retry: 'storectl resume',
  serve: 'storectl service start',
  keys: 'storectl service keys list',
  '--profile x disputes get': 'storectl disputes show',
};

test.each(Object.entries(triedFirst))('storectl %s: %s', async (line, command) => {
  const { exitCode, stdout, stderr } = await newMachine().run(line.split(' '));

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(command);
});

test.each([
  [['constructor'], 'storectl --help'],
  [['auth', 'constructor'], 'storectl auth --help'],
])('%j means nothing: no suggestion', async (args, help) => {
  const { exitCode, stderr } = await newMachine().run(args);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: unknown command "constructor"\n  run \`${help}\` for usage\n`,
  });
});
