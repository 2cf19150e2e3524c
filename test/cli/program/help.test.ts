import { describe, expect, test } from 'vitest';
import { refusedFlags } from '../../../src/cli/command/command-definition.ts';
import { globalOptions } from '../../../src/cli/command/global-options.ts';
import { isGroup, leavesOf, tree } from '../../../src/cli/program/command-tree.ts';
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
  [[], 46],
  [['disputes', 'decide'], 36],
  [['blog', 'create'], 44],
  [['backup', 'create'], 30],
])('%j --help has at most %i lines', async (command, lines) => {
  const { stdout } = await newMachine().run([...command, '--help']);
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
});

test.each([
  [['disputes', 'open'], 'Kind of the dispute (default payment)'],
  [['notify', 'add-endpoint'], 'Kind of the endpoint (default discord)'],
])('%j --help says what is sent where a field is not given', async (command, text) => {
  expect((await newMachine().run([...command, '--help'])).stdout).toContain(text);
});
