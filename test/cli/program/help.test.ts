import { describe, expect, test } from 'vitest';
import { refusedFlags } from '../../../src/cli/command/command-definition.ts';
import { globalOptions } from '../../../src/cli/command/global-options.ts';
import { headings, isGroup, leavesOf, tree } from '../../../src/cli/program/command-tree.ts';
import { topics } from '../../../src/cli/program/topics.ts';
import { newMachine } from '../../helpers/cli.ts';
import { typed } from '../../helpers/typed.ts';

const commands = leavesOf(tree);

const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe.each(commands)('%s --help', (name, leaf) => {
  test('is complete, has examples, and fits', async () => {
    const { command } = await leaf.load();

    const help = await newMachine().run([...name.split(' '), '--help']);

    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: storectl ${name} `));
    expect(longest(help.stdout)).toBeLessThanOrEqual(100);
    const [, description = ''] = help.stdout.split('\n\n');
    expect(description.split('\n').length).toBeLessThanOrEqual(3);
    const refused = refusedFlags(command);
    for (const { flag, short, negatable } of command.options ?? []) {
      const shown =
        (short === undefined ? '' : `${short}, `) + (negatable ? flag.replace('--', '--[no-]') : flag);
      const line = new RegExp(`^  ${shown.replace(/[[\]]/g, '\\$&')}( |$)`, 'm');
      expect(help.stdout).toMatch(line);
    }
    const [last = ''] = help.stdout.trimEnd().split('\n').slice(-1);
    expect(last).toMatch(/^Global options such as --profile, .*: see `storectl --help`\.$/);
    for (const flag of ['--dry-run', '--json']) expect(last.includes(flag)).toBe(!refused.includes(flag));
    for (const { flag } of globalOptions.filter((option) => !command.listedGlobals?.includes(option.flag)))
      expect(help.stdout).not.toMatch(new RegExp(`^ +(-q, )?${flag} `, 'm'));
    for (const argument of command.arguments ?? []) {
      expect(help.stdout).toMatch(new RegExp(`^  ${argument.name}\\s+\\S`, 'm'));
    }
    const examples = help.stdout.split('\nExamples:\n')[1]?.split('\n\n')[0]?.split('\n') ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(example).toMatch(/^ {2}\$ storectl (--)?[a-z]/);
    expect(examples.some((example) => example.includes(name))).toBe(true);
  });

  test('help asked for in another way is the same', async () => {
    const machine = newMachine();
    const help = await machine.run([...name.split(' '), '--help']);

    expect(await machine.run(['help', ...name.split(' ')])).toEqual(help);
    expect(await machine.run([...name.split(' '), '-h'])).toEqual(help);
    expect(await machine.run(['--demo', ...name.split(' '), '--help'])).toEqual(help);
  });
});

describe('help of the program', () => {
  test('lists every noun with its verbs, and fits', async () => {
    const { exitCode, stdout, stderr } = await newMachine().run(['--help']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(longest(stdout)).toBeLessThanOrEqual(100);
    for (const [noun, entry] of Object.entries(tree)) {
      const shown =
        isGroup(entry) && !Object.values(entry.commands).some(isGroup)
          ? `${noun} ${Object.keys(entry.commands).join('|')}`
          : noun;
      expect(stdout).toContain(`\n  ${shown}`);
    }
    for (const { flag } of globalOptions) expect(stdout).toMatch(new RegExp(`^ +(-q, )?${flag}( |$)`, 'm'));
  });

  test('groups the commands by what they are for, and lists the topics', async () => {
    const { stdout } = await newMachine().run(['--help']);

    const groups = stdout.split('\n\n').filter((text) => /^\S.*:\n {2}/.test(text));
    expect(groups.map((text) => text.split('\n')[0])).toEqual([
      ...['The store:', 'Changes and history:', 'Setting up:', 'For operators:'],
      ...['Global options:', 'Help topics:', 'Try it without an account:'],
    ]);
    expect(Object.values(headings).flat().sort()).toEqual(Object.keys(tree).sort());
    const listed = [...(groups[5] ?? '').matchAll(/^ {2}([a-z-]+) +[A-Z]/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(topics));
  });

  test('headings are bold where colors are on, and only there', async () => {
    const boldHeadings = async (env: Record<string, string>, words: string[]) => {
      const { stdout } = await newMachine(env).run(words);
      const [, ...parts] = stdout.split('\u001b[1m');
      return parts.map((part) => part.split('\u001b[22m')[0]);
    };
    expect(await boldHeadings({ FORCE_COLOR: '1' }, ['--help'])).toContain('Setting up:');
    expect(await boldHeadings({ FORCE_COLOR: '1' }, ['help', 'backup', 'create'])).toEqual([
      ...['Usage:', 'Fields:', 'Examples:', 'Advanced:'],
    ]);
    expect(await boldHeadings({ FORCE_COLOR: '1', NO_COLOR: '1' }, ['--help'])).toEqual([]);
    expect(await boldHeadings({}, ['--help'])).toEqual([]);
  });

  test('is not meant where -h is the value of a flag', async () => {
    const machine = newMachine();
    const args = typed`backup create --label -h --sections store --dry-run --demo --json`;
    expect(JSON.parse((await machine.run(args)).stdout)).toMatchObject({ body: { label: '-h' } });
  });

  test.each(Object.entries(tree).filter(([, entry]) => isGroup(entry)))(
    '%s alone shows its verbs',
    async (noun) => {
      const { exitCode, stdout, stderr } = await newMachine().run([noun]);

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(new RegExp(`^Usage: storectl ${noun} <command>`));
      expect(longest(stdout)).toBeLessThanOrEqual(100);
    },
  );

  test('--version prints the version alone', async () => {
    const { exitCode, stdout, stderr } = await newMachine().run(['--version']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });
});

test.each([
  [[], 62],
  [['disputes', 'decide'], 36],
  [['blog', 'create'], 46],
  [['backup', 'create'], 30],
])('%j --help has at most %i lines', async (command, lines) => {
  const { stdout } = await newMachine().run([...command, '--help']);
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
});

describe.each(Object.keys(topics))('help %s', (name) => {
  test.each([100, 60])('fits %s columns, and is printed without help, too', async (columns) => {
    const machine = newMachine({ NO_COLOR: '1' });
    const help = await machine.run(['help', name], { columns });

    expect(help).toMatchObject({ exitCode: 0, stderr: '' });
    expect(longest(help.stdout)).toBeLessThanOrEqual(columns);
    expect(help.stdout.split('\n')[0]).toMatch(/^[A-Z][^:]*$/);
    expect(await machine.run([name], { columns })).toEqual(help);
    expect(await machine.run([name, '--help'], { columns })).toEqual(help);
  });
});

test('every command line in a help topic works', async () => {
  for (const [name, { load }] of Object.entries(topics)) {
    const { topic } = await load();
    for (const example of topic.sections.flatMap(({ examples = [] }) => examples)) {
      const [line = ''] = example.split(' > ');
      const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
      const { exitCode, stderr } = await newMachine().run([...words, '--help']);
      expect({ exitCode, stderr }, `${name}: ${example}`).toEqual({ exitCode: 0, stderr: '' });
      for (const flag of words.filter((word) => word.startsWith('--'))) {
        const { stdout } = await newMachine().run([...words.slice(0, 2), '--help']);
        expect(`${stdout}${globalOptions.map((option) => option.flag).join(' ')}`).toContain(flag);
      }
    }
  }
});

test('help files names the columns and the front matter that the commands read', async () => {
  const { stdout } = await newMachine().run(['help', 'files']);
  for (const text of [
    'disputeId (whole) or providerCaseId or orderId, status',
    'front matter',
    '.storectl.json',
    'settings.yaml',
  ])
    expect(stdout.replace(/\s+/g, ' ')).toContain(text);
});

test.each(commands.map(([name]) => name))('%s --help breaks no word at 60 columns', async (name) => {
  const words = name.split(' ');
  const { stdout } = await newMachine({ NO_COLOR: '1' }).run([...words, '--help'], { columns: 60 });

  const long = stdout.split('\n').filter((line) => line.length > 60);
  // A word that is longer than the screen.
  expect(long.filter((line) => line.trim().includes(' ') && !/^ +\S+( <\S+>)? ?\\?$/.test(line))).toEqual([]);
});

test.each([
  [['disputes', 'open'], 'Kind of the dispute (default payment)'],
  [['notify', 'add-endpoint'], 'Kind of the endpoint (default discord)'],
])('%j --help says what is sent where a field is not given', async (command, text) => {
  expect((await newMachine().run([...command, '--help'])).stdout).toContain(text);
});
