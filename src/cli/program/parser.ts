import { Command, Option } from 'commander';
import type { CommandDefinition } from '../command/command-definition.ts';
import { globalGroup, globalOptions, hintForFields, listedOptions } from '../command/global-options.ts';
import { usageError } from '../core/errors.ts';
import { type Io, usesColors } from '../core/io.ts';
import { defaultGroup, type OptionSpec } from '../core/option-spec.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import { version } from '../core/version.ts';
import { type Group, isGroup, type Leaf, tree } from './command-tree.ts';
import {
  formatEnding,
  formatHelp,
  formatTopic,
  globalOptionsLine,
  headingOf,
  negatableOptions,
  optionTerm,
} from './help.ts';
import { helpColumns } from './rendered-help.ts';
import { topics } from './topics.ts';

export interface ProgramOptions {
  /** The arguments that will be parsed. */
  readonly words: readonly string[];
  readonly io: Io;
  /** Called with parts of the help or the version. */
  writeHelp(part: string): void;
  /** Called with the command that the user typed. */
  run(definition: CommandDefinition, parsed: ParsedCommand): Promise<void>;
}

/**
 * Creates the parser for the command tree. The options of a command are added when the parser reaches it, so that most
 * command files are never loaded.
 */
export function createProgram({ words, io, writeHelp, run }: ProgramOptions): Command {
  const columns = Math.min(io.stdout.columns || helpColumns, helpColumns);
  const program = new Command('storectl')
    .description('Run an online store from the terminal.')
    .version(version, '-V, --version', 'Print the version')
    .addHelpOption(new Option('-h, --help', 'Show help').helpGroup(globalGroup))
    .helpCommand(false)
    .usage('<command> [options]')
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: writeHelp,
      // The help of a program or noun without a command. Errors are printed by main.
      writeErr: writeHelp,
      outputError: () => {},
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => usesColors(io.stdout, io.env),
      getErrHasColors: () => usesColors(io.stdout, io.env),
    })
    // What is mistyped may also be a topic, which no list of commands has.
    .configureHelp({ formatHelp, visibleCommands: ({ commands }) => [...commands] });
  const given: Given = new Map();
  addOptions(program, globalOptions, given);
  addEntries(program, tree, { given, words, run, columns });
  for (const command of program.commands) command.helpGroup(headingOf(command.name()) ?? '');
  addTopics(program);
  return program;
}

/** The topics are commands that print their own help. */
function addTopics(program: Command): void {
  for (const [name, { load }] of Object.entries(topics)) {
    const command = program.command(name, { hidden: true });
    command.action(() => command.outputHelp());
    program.hook('preSubcommand', async (_, chosen) => {
      if (chosen !== command) return;
      const { topic } = await load();
      command.configureHelp({ formatHelp: (_command, helper) => formatTopic(topic, helper) });
    });
  }
}

/** What was parsed so far, and what follows. */
interface Parsing extends Pick<ProgramOptions, 'words' | 'run'> {
  readonly given: Given;
  /** Of the help. */
  readonly columns: number;
}

/** Adds commands. Their options, and the verbs of a noun, are added when the parser reaches them. */
function addEntries(parent: Command, entries: Group['commands'], parsing: Parsing): void {
  const configure = new Map<Command, () => Promise<void> | void>();
  parent.hook('preSubcommand', (_, command) => configure.get(command)?.());
  for (const [name, entry] of Object.entries(entries)) {
    const command = parent.command(name).summary(entry.summary);
    if (isGroup(entry)) {
      command.description(`${entry.summary}.`).usage('<command> [options]');
      configure.set(command, () => {
        command.helpCommand(false).enablePositionalOptions();
        command.addHelpText('after', `\n${globalOptionsLine(parsing.columns)}`);
        addOptions(command, globalOptions, parsing.given);
        addEntries(command, entry.commands, parsing);
      });
    } else {
      command.description(entry.summary).allowExcessArguments(false);
      configure.set(command, () => configureLeaf(command, entry, parsing));
    }
  }
}

async function configureLeaf(command: Command, leaf: Leaf, parsing: Parsing): Promise<void> {
  const { given, words, run, columns } = parsing;
  const { command: definition } = await leaf.load();
  const names = definition.arguments ?? [];
  command.description(definition.description.replaceAll('\n', ' '));
  command.usage(
    [
      ...names.map(({ name, variadic, optional }) => {
        const shown = name + (variadic ? '...' : '');
        return optional ? `[${shown}]` : `<${shown}>`;
      }),
      '[options]',
    ].join(' '),
  );
  for (const { name, description, variadic } of names) {
    command.argument(`[${name}${variadic ? '...' : ''}]`, description);
  }
  const { options = [], listedGlobals = [] } = definition;
  const others = globalOptions.filter(({ flag }) => !listedGlobals.includes(flag));
  addOptions(command, [...listedOptions(listedGlobals), ...options, ...others], given);
  listFields(definition, words);
  refuseMisusedFlags(command.options, words);
  command.addHelpText('after', formatEnding(command, definition, columns));
  command.action(async () => {
    await run(definition, {
      arguments: Object.fromEntries(
        names.map(({ name }, index) => [name, givenArguments(command.processedArgs[index])]),
      ),
      options: given,
    });
  });
}

/** Throws a usage error with the fields of the response for a `--fields` that names none: the user asks which there are. */
function listFields({ responseFields }: CommandDefinition, words: readonly string[]): void {
  const lines = responseFields?.() ?? [];
  if (lines.length === 0 || !words.some((word, index) => word === '--fields' && !isValue(words[index + 1])))
    return;
  throw usageError(
    '--fields needs one or more of these, separated by commas',
    `for example --fields ${lines.slice(0, 2).join(',')}`,
    {
      code: 'option_missing_argument',
      lines,
    },
  );
}

/** Whether a word may be the value of the flag before it. */
const isValue = (word: string | undefined) => word !== undefined && !word.startsWith('-');

/**
 * Throws a usage error for a switch with a value, such as `--quiet=false`, and if a flag stands where the value of another
 * is expected: commander would take it, as in `--store $STORE -q` with an empty variable.
 */
function refuseMisusedFlags(options: readonly Option[], words: readonly string[]): void {
  const find = (word = '') => options.find(({ long, short }) => word !== '' && [long, short].includes(word));
  for (let index = 0; index < words.length && words[index] !== '--'; index += 1) {
    const [name = '', given] = (words[index] ?? '').split('=');
    const option = find(name);
    if (option === undefined) continue;
    if (!option.required && given !== undefined) {
      const fields = name === '--json' ? hintForFields([name, given]) : null;
      throw usageError(`${name} takes no value`, fields ?? `use ${optionTerm(option)} alone`, {
        code: 'unknown_option',
      });
    }
    if (!option.required || given !== undefined) continue;
    index += 1;
    const value = words[index];
    if (find(value?.split('=')[0]) === undefined) continue;
    throw usageError(
      `${option.long} needs a value`,
      `${value} is a flag; for a value that begins with a dash, write ${option.long}=VALUE`,
      { code: 'option_missing_argument' },
    );
  }
}

/** By flag: the values in the order in which they were given, or whether a switch is on. */
type Given = Map<string, readonly string[] | boolean>;

/**
 * Adds options, and collects what is given for them. A flag after the command wins over one before it. A switch that `--no-…`
 * turns off becomes two options.
 */
function addOptions(command: Command, options: readonly OptionSpec[], given: Given): void {
  for (const { flag, short, value, negatable, description, group } of options) {
    const flags = [short, value === undefined ? flag : `${flag} <${value}>`].filter(Boolean).join(', ');
    const option = new Option(flags, description).helpGroup(group ?? defaultGroup);
    const texts: string[] = [];
    command.addOption(option).on(`option:${option.name()}`, (text?: string) => {
      if (text !== undefined) texts.push(text);
      given.set(flag, value === undefined || texts);
    });
    if (!negatable) continue;
    negatableOptions.add(option);
    const off = new Option(flag.replace('--', '--no-')).hideHelp();
    command.addOption(off).on(`option:${off.name()}`, () => given.set(flag, false));
  }
}

function givenArguments(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
