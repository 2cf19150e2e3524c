import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { leavesOf, tree } from '../../../src/cli/program/command-tree.ts';
import { hintFor } from '../../../src/cli/program/hints.ts';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed, wordsOf } from '../../helpers/typed.ts';

const target = { storeId: 'store-1', apiKey: 'some-long-key' };
const update = ['store', 'update'];

interface Given {
  readonly stdin?: string;
  readonly file?: string | Buffer;
}

type Wrong = readonly [line: string, says: string, given?: Given];

/** 501 levels, and so many that a stack would not hold them. */
function tooDeep(levels: number): Wrong[] {
  const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const says = 'nested more than 500 levels deep';
  return [
    ['settings save --from-file file', says, { file: deep }],
    ['settings diff --from-file -', says, { stdin: deep }],
    [`store update --set x=${deep}`, says],
    [`api POST /v1 -f x=${deep}`, says],
    ['api POST /v1 --input file', says, { file: deep }],
    [`store update --set ${'a.'.repeat(levels)}b=1`, 'more than 500 levels'],
  ];
}

const wrong: readonly Wrong[] = [
  ['stroe update', 'did you mean `store`?'],
  ['backup crate', 'did you mean `create`?'],
  ['store update --cashback-pb 1', 'did you mean `--cashback-bp`?'],
  ['--jsno settings show', 'did you mean `--json`?'],
  ['disputes show a b', 'too many arguments: 2 given, 1 expected'],
  ['store update --name', '--name needs a value'],
  [
    'store update --name --dry-run',
    '--dry-run is a flag; for a value that begins with a dash, write --name=VALUE',
  ],
  ['settings show --store -q', '--store needs a value'],
  ['backup list --fields', 'separated by commas:\n  id\n  version\n  label\n'],
  ['store show --fields --demo', '\n  settings.tax.rateBp\n'],
  ['doctor --fields', '--fields needs a value'],
  ['--store --profile=main settings show', '--store needs a value'],
  ['settings show --quiet=false', '--quiet takes no value'],
  ['store update --checkout-coupon-field=false', 'use --[no-]checkout-coupon-field alone'],
  ['store update --checkout-coupon-field true', 'this command takes no arguments'],
  ['notify add-endpoint --no-enabled=true', 'use --no-enabled alone'],
  ['list backups', 'did you mean `storectl backup list`?'],
  ['show dispute', 'did you mean `storectl disputes show`?'],
  ['backup delete x', 'backups cannot be deleted'],
  ['blog delete x', 'posts cannot be deleted'],
  ['-o json backup list', 'did you mean `--json`?'],
  ['backup create -o x.json', 'did you mean `--output-file`?'],
  ['-demo backup list', 'did you mean `--demo`?'],
  ['backup list -quiet', 'did you mean `--quiet`?'],
  ['backup -help', 'did you mean `--help`?'],
  ['backup list -L 5', 'did you mean `--limit`?'],
  ['disputes list -s open', 'did you mean `--status` or `--seen`?'],
  ['disputes list --state open', 'did you mean `--status`?'],
  ['history list --status open', 'did you mean `--state`?'],
  ['store update --cashbak 3', 'did you mean `--cashback-bp`'],
  ['store update --currency EUR', 'did you mean `--default-currency`?'],
  ['backup list --format=json', 'did you mean `--json`?'],
  ['backup list --verbose', 'did you mean `--debug`?'],
  ['backup list --no-color', 'set NO_COLOR=1'],
  ['backup list --token x', 'set STORECTL_API_KEY, or run `storectl auth login`'],
  [
    'backup list --jq .',
    "for some fields: --fields A,B; for a filter: `storectl backup list --json | jq 'FILTER'`",
  ],
  ['backup list --json=id,label', 'for some fields, use `--fields id,label`'],
  ['settings show --timeout 5x', 'for example --timeout 30 or --timeout 5m'],
  ['stores', 'to see the stores of your profiles: `storectl profile list`'],
  ['auth login --with-key', 'the key in standard input is empty'],
  ['store update --cashback-bp 2.5', '--cashback-bp must be a whole number (got "2.5")'],
  ['store update --cashback-bp 250bp', 'use a whole number without a unit; basis points: 250 is 2.5 %'],
  ['store update --tax-rate-bp 19%', '--tax-rate-bp must be a whole number (got "19%")'],
  ['store update --cashback-bp all', 'must be a whole number (got "all")'],
  ['store update --cashback-bp 0x10', 'must be a whole number'],
  ["store update --cashback-bp ''", 'must be a whole number'],
  ['store update --set settings.cashbackBp=2.5', '--cashback-bp must be a whole number (got 2.5)'],
  [
    'store update --set settings.checkout.couponField=maybe',
    '--checkout-coupon-field must be true or false (got "maybe")',
  ],
  ['store update --support-email me', '--support-email must be an email address'],
  ['store update --logo-image-id logo', '--logo-image-id must be a UUID'],
  [
    'notify add-endpoint --name n --events e --url nowhere',
    '--url must be a whole URL that begins with https://',
  ],
  ["blog create --title t --content-md c --tags ''", '--tags needs a value'],
  ['store update --social discord', '--social must be NAME=VALUE (got "discord")'],
  ['store update --set name', '--set must be PATH=VALUE'],
  ['store update --set =1', '--set must be PATH=VALUE'],
  ['store update --set a..b=1', 'has an empty name'],
  ['store update --set a.=1', 'has an empty name'],
  ['notify mark-read notification-a --all', '--all cannot be used with ids'],
  [
    'blog create --from-file - --content-file -',
    'only one flag can read standard input (given: --from-file, --content-file)',
  ],
  ['store update --from-file none.json', 'cannot read none.json'],
  ['store update --from-file folder', 'is a directory'],
  [
    'blog create --title t --content-file file',
    'file (--content-file) is not UTF-8 text',
    { file: Buffer.from('Grüße', 'latin1') },
  ],
  [
    'store update --from-file file',
    'file (--from-file) is not UTF-8 text',
    { file: Buffer.from('{"name":"ü"}', 'latin1') },
  ],
  ['store update --from-file file', 'must be an object (got a list)', { file: '[{"name":"a"}]' }],
  [
    'store update --from-file -',
    'standard input (--from-file) must be an object (got a single value)',
    { stdin: 'just words' },
  ],
  ['store update --from-file -', 'standard input (--from-file) is empty'],
  ['store update --from-file file', 'file (--from-file) is empty', { file: ' \n' }],
  ['disputes decide --from-file all.csv', 'for a list, use --from all.csv'],
  ['disputes decide 5f0c --status won --from x.csv', '<disputeId> and --status'],
  [
    'disputes decide first-1 second-2 --status won --confirm x',
    '--status and --confirm cannot be used with several disputes',
  ],
  [
    'blog create file',
    'file:3: statsu looks mistyped (did you mean status?)',
    { file: '---\ntitle: a\nstatsu: draft\n---\nb\n' },
  ],
  [
    'store update --from-file file',
    'file (--from-file): invalid JSON in line 2 (b: [): a comma is missing before b',
    { file: '{"name": "a"\n b: [' },
  ],
  [
    'store update --from-file file',
    'invalid YAML in line 1 (name: !!js/function',
    { file: 'name: !!js/function "x"\n' },
  ],
  [
    'store update --from-file file',
    'invalid YAML in line 2 (? [a, b])',
    { file: 'name: x\n? [a, b]\n: 1\n' },
  ],
  ['disputes show a/b', '<disputeId> must not contain a slash'],
  ['disputes show a\\b', '<disputeId> must not contain a slash'],
  ['disputes show ..', '<disputeId> must not be "." or ".."'],
  ["disputes show ''", '<disputeId> is empty'],
  ["disputes show 'a b'", '<disputeId> must not contain spaces'],
  ['--store ../x settings show', '--store must not contain'],
  ["settings show --store ''", '--store needs a value'],
  ['settings show --base-url=', '--base-url needs a value'],
  ['settings show --base-url ftp://h', 'must be an http or https URL'],
  ['settings show --base-url file:///etc/passwd', 'must be an http or https URL'],
  ['settings show --base-url http://api.example.com', 'HTTPS is required (except for localhost)'],
  ['settings show --base-url https://me:secret@h', 'must not contain a user name or a password'],
  ['--demo settings show --base-url https://h', '--demo and --base-url cannot be used together'],
  ['--demo --profile main settings show', '--demo and --profile cannot be used together'],
  ['--profile none profile show', 'profile "none" not found'],
  ['--profile ../x settings show', 'invalid profile name "../x"'],
  ['api POST /v1 -f a[b=1', 'invalid field name before ='],
  ['api POST /v1 -f []=1', 'has an empty name'],
  ['api BREW /v1', 'use one of GET, POST, PUT, PATCH, DELETE'],
  ['backup create --label l --sections s --idempotency-from time', 'unknown idempotency-from "time"'],
  ['backup create --label l --sections s --idempotency-from ci', 'works only in a CI job'],
  [
    'backup create --label l --sections s --idempotency-from ci --idempotency-key k',
    '--idempotency-from and --idempotency-key cannot be used together',
  ],
  ['settings show --timeout 0', 'more than 0 and at most 86400 s (got "0")'],
  ...["'0'", '-1', 'soon', '1e3', "''", '86401', 'NaN', "' 5'"].map(
    (text): Wrong => [`settings show --timeout=${text}`, '--timeout must be a number of seconds'],
  ),
  ...[501, 3_000, 50_000].flatMap(tooDeep),
];

describe('wrong usage is refused before anything is sent', () => {
  test.each(wrong.map(([line, says, given = {}]) => ({ line, says, ...given })))(
    '$line: $says',
    async ({ line, says, stdin = '', file }: Given & { line: string; says: string }) => {
      const args = wordsOf(line);
      const { server, machine } = await setScene({ answers: [answer(200, {})] });
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
    },
  );

  test('fields after --json are told of --fields', async () => {
    const { stderr } = await newMachine().run(typed`backup list --json id,label`);
    expect(JSON.parse(stderr).error.hint).toBe('for some fields, use `--fields id,label`');
  });

  test.each([
    [update, 'nothing to change\n  pass at least one field'],
    [['notify', 'mark-read'], 'no notifications given\n  pass ids, --before TIME, or --all'],
  ])('what a terminal would ask is exit 3: %s', async (args, says) => {
    const { server, machine } = await setScene({ answers: [answer(200, {})] });

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
  'profile set': ['<name>', '--base-url URL or --store ID'],
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

  expect(stderr).toMatch(
    / {2}--store ID +Store to work on, or STORECTL_STORE_ID\n(.*\n)* {2}run the command in a terminal to be prompted, or add/,
  );
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
    // A key is never a flag.
    const ofFlags = error.fields.filter(({ flag }: { flag: string | null }) => flag !== null);
    expect(ofFlags.map(({ flag }: { flag: string }) => flag)).toEqual(
      flags.map((text) => text.split(' ')[0]),
    );
    const isConnecting =
      flags.some((flag) => flag.startsWith('--base-url')) &&
      !['auth', 'profile'].includes(name.split(' ', 1)[0] ?? '');
    expect(error.fields.length - ofFlags.length).toBe(isConnecting ? 1 : 0);
  });

  test('what is given is not asked for, and the id is named in the confirmation', async () => {
    const machine = machineFor({ origin: 'https://api.example.com', ...target });

    const { exitCode, stderr } = await machine.run(
      typed`disputes decide 5f0cbead-0000-4000-8000-000000000001 --status won --json`,
    );

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
  '-v': 'storectl version',
  info: 'storectl auth status',
  get: 'say of what, such as `storectl store show`',
  create: 'did you mean `storectl blog create` or `storectl backup create`?',
  hist: 'did you mean `history`?',
  logn: 'did you mean `storectl auth login`?',
  restor: 'did you mean `storectl backup restore`?',
  exit: 'did you mean `storectl help exit-codes`?',
  'help restor': 'did you mean `storectl backup restore`?',
  helpp: 'did you mean `help`?',
  push: 'run `storectl --help` for usage',
  docs: 'run `storectl --help` for usage',
  'service stop': 'run `storectl service --help` for usage',
  'disputes resolve x': 'storectl disputes decide',
  'config set': 'storectl profile set',
  env: 'storectl help environment',
  'help env': 'storectl help environment',
  'help exit-code': 'did you mean `storectl help exit-codes`?',
  'help nosuch': 'run `storectl --help` for usage',
  'bogus --help': 'run `storectl --help` for usage',
  '--help bogus': 'run `storectl --help` for usage',
  'backup crate --help': 'did you mean `create`?',
  'help backup bogus': 'run `storectl backup --help` for usage',
  'whoami -h': 'storectl auth status',
  list: 'say of what, such as `storectl blog list`',
  ls: 'say of what, such as `storectl blog list`',
  'store get': 'storectl store show',
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
  'backup get 5f0c': 'storectl backup show',
  posts: 'storectl blog list',
  'post new': 'storectl blog create',
  'post view': 'storectl blog show',
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
  [['constructor'], 'run `storectl --help` for usage'],
  [['auth', 'constructor'], 'commands of auth: login, logout, status; run `storectl auth --help` for usage'],
])('%j means nothing: no suggestion', async (args, hint) => {
  const { exitCode, stderr } = await newMachine().run(args);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: unknown command "constructor"\n  ${hint}\n`,
  });
});

test('what the hints say cannot be done is no command', () => {
  const hints = leavesOf(tree).map(([words]) => {
    const argv = words.split(' ');
    return hintFor(argv.at(-1) ?? '', argv);
  });

  expect(hints.filter((hint) => hint !== null && !hint.startsWith('did you mean'))).toEqual([]);
  expect(hints.length).toBeGreaterThan(50);
});
