import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const target = { origin: 'https://api.example.com', storeId: 'store-1', apiKey: 'some-long-key' };

/** The body that a command would send, by `--dry-run`: nothing is sent. */
async function bodyOf(
  args: readonly string[],
  { files = {}, stdin = '' }: { files?: Readonly<Record<string, string>>; stdin?: string } = {},
): Promise<unknown> {
  const machine = machineFor(target);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(machine.folder, name), text);
  const { exitCode, stdout, stderr } = await machine.run([...args, '--dry-run', '--json'], { stdin });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/^(Without --dry-run, .*\n|warning: .*\n)*$/),
  });
  return JSON.parse(stdout).body;
}

const update = ['store', 'update'];

describe('flags', () => {
  test.each<[string[], unknown]>([
    [['--cashback-bp', '250'], { settings: { cashbackBp: 250 } }],
    [['--cashback-bp=-1'], { settings: { cashbackBp: -1 } }],
    [['--cashback-bp', '1', '--cashback-bp', '2'], { settings: { cashbackBp: 2 } }],
    [['--checkout-coupon-field'], { settings: { checkout: { couponField: true } } }],
    [['--no-checkout-coupon-field'], { settings: { checkout: { couponField: false } } }],
    [
      ['--no-checkout-coupon-field', '--checkout-coupon-field'],
      { settings: { checkout: { couponField: true } } },
    ],
    [['--tax-rate-bp', '1900'], { settings: { tax: { rateBp: 1900 } } }],
    [['--default-currency', 'EUR'], { defaultCurrency: 'EUR' }],
    [
      ['--social', 'discord=https://d.example/?a=b', '--social', 'x=', '--social', 'a.b=c'],
      { settings: { socials: { discord: 'https://d.example/?a=b', x: '', 'a.b': 'c' } } },
    ],
    // Null takes one away.
    [['--set', 'settings.socials.discord=null'], { settings: { socials: { discord: null } } }],
    [['--name', ''], { name: '' }],
    [['--name', '--odd'], { name: '--odd' }],
    [['--description', '  kept as it is \n'], { settings: { description: '  kept as it is \n' } }],
  ])('%j', async (flags, body) => {
    expect(await bodyOf([...update, ...flags])).toEqual(body);
  });

  test.each<[string[], string[]]>([
    [
      ['--tags', 'a,b'],
      ['a', 'b'],
    ],
    [
      ['--tags', 'a', '--tags', 'b'],
      ['a', 'b'],
    ],
    [
      ['--tags', ' a , b,', '--tags', ',c'],
      ['a', 'b', 'c'],
    ],
    [['--set', 'tags=[]'], []],
  ])('a list repeats its flag or takes commas: %j', async (flags, tags) => {
    const body = await bodyOf(['blog', 'create', '--title', 't', '--content-md', 'c', ...flags]);

    expect(body).toEqual({ title: 't', contentMd: 'c', tags });
  });

  test('a switch can come before or after the noun and the verb', async () => {
    const machine = machineFor(target);

    for (const args of [
      ['--json', '--dry-run', 'notify', 'mark-read', '--all'],
      ['notify', '--json', '--dry-run', 'mark-read', '--all'],
      ['notify', 'mark-read', '--all', '--json', '--dry-run'],
    ]) {
      const { exitCode, stdout } = await machine.run(args);
      expect({ exitCode, body: JSON.parse(stdout).body }).toEqual({ exitCode: 0, body: {} });
    }
  });
});

describe('--set', () => {
  test.each<[string, unknown]>([
    ['name=My store', { name: 'My store' }],
    ['name="quoted"', { name: 'quoted' }],
    ['name=', { name: '' }],
    ['loyalty.tiers=[1,{"a":null}]', { loyalty: { tiers: [1, { a: null }] } }],
    ['settings.maintenanceMessage=null', { settings: { maintenanceMessage: null } }],
    ['settings.cashbackBp=250', { settings: { cashbackBp: 250 } }],
    ['surprise=true', { surprise: true }],
    ['surprise=True', { surprise: 'True' }],
    ['surprise=a=b', { surprise: 'a=b' }],
    ['settings.socials.my\\.blog=x', { settings: { socials: { 'my.blog': 'x' } } }],
    ['a\\\\b=1', { 'a\\b': 1 }],
    ['settings.description={not json', { settings: { description: '{not json' } }],
  ])('%s', async (text, body) => {
    expect(await bodyOf([...update, '--set', text])).toEqual(body);
  });

  test.each(['x=12345678901234567890', 'x={"deep":[1e400]}'])(
    '%s: a number that cannot be sent exactly is refused',
    async (set) => {
      const { exitCode, stderr } = await machineFor(target).run([...update, '--set', set, '--dry-run']);

      expect(stderr).toContain('cannot be sent exactly');
      expect(exitCode).toBe(2);
    },
  );

  test('may be repeated, and later ones win', async () => {
    const body = await bodyOf([...update, '--set', 'a.b=1', '--set', 'a.c=2', '--set', 'a.b=3']);

    expect(body).toEqual({ a: { b: 3, c: 2 } });
  });

  test.each(['__proto__.polluted=1', 'constructor.prototype.polluted=1', 'a.__proto__=1'])(
    '%s reaches no prototype',
    async (text) => {
      const { exitCode, stderr } = await machineFor(target).run([...update, '--set', text, '--dry-run']);

      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('the path'),
      });
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    },
  );
});

describe('--from-file', () => {
  const yaml = 'name: Shop # a comment\nsettings:\n  cashbackBp: 250\n  description: |\n    Two\n    lines\n';
  const parsed = { name: 'Shop', settings: { cashbackBp: 250, description: 'Two\nlines\n' } };

  test.each([
    ['body.json', JSON.stringify(parsed)],
    ['body.yaml', yaml],
    ['body', yaml],
  ])('takes %s', async (name, text) => {
    expect(await bodyOf([...update, '--from-file', name], { files: { [name]: text } })).toEqual(parsed);
  });

  test.each([JSON.stringify(parsed), yaml])('takes standard input', async (stdin) => {
    expect(await bodyOf([...update, '--from-file', '-'], { stdin })).toEqual(parsed);
  });

  test('goes below --set, which goes below the named flags', async () => {
    const file = { name: 'file', slug: 'file', timezone: 'UTC', settings: { socials: { a: '1', b: '1' } } };

    const body = await bodyOf(
      [
        ...update,
        '--name',
        'flag',
        '--social',
        'b=2',
        '--set',
        'name=set',
        '--set',
        'slug=set',
        '--from-file',
        'body.json',
      ],
      { files: { 'body.json': JSON.stringify(file) } },
    );

    expect(body).toEqual({
      name: 'flag',
      slug: 'set',
      timezone: 'UTC',
      settings: { socials: { a: '1', b: '2' } },
    });
  });

  test('gives what is required, so that no flag is needed', async () => {
    const post = { title: 't', contentMd: 'c', surprise: [] };

    const body = await bodyOf(['blog', 'create', '--from-file', 'p.json'], {
      files: { 'p.json': JSON.stringify(post) },
    });

    expect(body).toEqual(post);
  });

  test('overrides the defaults of the client', async () => {
    const body = await bodyOf(['disputes', 'open', '--from-file', '-'], {
      stdin: '{"kind":"fraud","reason":"r","idempotencyKey":"k"}',
    });

    expect(body).toEqual({ kind: 'fraud', reason: 'r', idempotencyKey: 'k' });
  });
});

describe('long texts', () => {
  const confirmed = [
    '5f0cbead-0000-4000-8000-000000000001',
    '--confirm',
    '5f0cbead-0000-4000-8000-000000000001',
  ];
  const commands: readonly [args: string[], fileFlag: string, field: string][] = [
    [['blog', 'create', '--title', 't'], '--content-file', 'contentMd'],
    [['disputes', 'open', '--idempotency-key', 'k'], '--reason-file', 'reason'],
    [['disputes', 'decide', ...confirmed, '--status', 'won'], '--resolution-file', 'resolution'],
    [['reclaim', 'appeal', ...confirmed], '--text-file', 'text'],
  ];
  const text = '# Grüße\r\n\nA line "quoted", tab\there, and an emoji 🦊.\n\n';

  test.each(commands)('%j takes %s', async (args, fileFlag, field) => {
    const fromFile = await bodyOf([...args, fileFlag, 'long.md'], { files: { 'long.md': text } });
    const fromStdin = await bodyOf([...args, fileFlag, '-'], { stdin: text });

    expect(fromFile).toMatchObject({ [field]: text });
    expect(fromStdin).toEqual(fromFile);
  });

  test.each(commands)('%j: text and file together are refused', async (args, fileFlag) => {
    const flag = fileFlag === '--content-file' ? '--content-md' : fileFlag.replace('-file', '');

    const result = await newMachine().run([...args, flag, 'a', fileFlag, '-']);

    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(`${flag} and ${fileFlag} cannot be used together`);
  });

  test.each(commands)('%j: nothing is sent where %s is empty', async (args, fileFlag, field) => {
    const { server, machine } = await setScene({ answers: [] });
    writeFileSync(path.join(machine.folder, 'blank.md'), '\n');

    for (const file of ['/dev/null', 'blank.md', '-']) {
      const { exitCode, stdout, stderr } = await machine.run([...args, fileFlag, file, '--json']);
      const { error } = JSON.parse(stderr);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(error.message).toBe(`${file === '-' ? 'standard input' : file} (${fileFlag}) is empty`);
      expect(error.fields).toMatchObject([{ field, flag: fileFlag }]);
    }
    expect(server.requests).toEqual([]);
  });

  test('a file is found from the folder in which the command runs', async () => {
    const machine = machineFor(target);
    writeFileSync(path.join(machine.folder, 'here.md'), 'here');

    const { stdout } = await machine.run(
      typed`blog create --title t --content-file ./here.md --dry-run --json`,
    );

    expect(JSON.parse(stdout).body.contentMd).toBe('here');
  });
});
