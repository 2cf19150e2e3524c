import { Command, Option } from 'commander';
import { type CommandDefinition, refusedFlags } from '../command/command-definition.ts';
import { globalGroup, globalOptions } from '../command/global-options.ts';
import type { Io } from '../core/io.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import { type Group, isGroup, type Leaf, tree } from './command-tree.ts';
import { formatHelp, negatableOptions, optionTerm, subcommandTerm } from './help.ts';
import { helpColumns } from './prerendered.ts';

export interface ProgramOptions {
  /** The arguments that will be parsed. */
  readonly words: readonly string[];
  readonly io: Io;
  readonly version: string;
  /** Called with the command that the user typed. */
  run(definition: CommandDefinition, parsed: ParsedCommand): Promise<void>;
}

/**
 * The command tree for the parser. Names and summaries are here from the start; the options of a command are added when
 * the parser reaches it, so that `--help` of the program loads no command.
 */
export function createProgram({ words, io, version, run }: ProgramOptions): Command {
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
      writeOut: (text) => {
        io.stdout.write(text);
      },
      // A program or a noun without a command shows its help; main prints errors, in one form for all of them.
      writeErr: (text) => {
        io.stdout.write(text);
      },
      outputError: () => {},
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? helpColumns, helpColumns),
      getErrHelpWidth: () => Math.min(io.stdout.columns ?? helpColumns, helpColumns),
      getOutHasColors: () => false,
    })
    .configureHelp({ formatHelp, optionTerm, subcommandTerm })
    .addHelpText('after', () => `\n${overview}`);
  addOptions(program, globals);
  const reached = onReaching(program);
  for (const [name, entry] of needed(tree, words[0])) {
    if (isGroup(entry)) {
      const verbs = needed(entry.commands, words[0] === name ? words[1] : undefined);
      reached.set(addGroup(program, name, entry), (group) => fillGroup(group, verbs, run));
    } else reached.set(addLeaf(program, name, entry), (leaf) => fillLeaf(leaf, entry, run));
  }
  return program;
}

const overview = `Try it without an account:
  $ storectl --demo demo info
  $ storectl --demo backup create --label first --sections store

Exit codes: 0 done, 2 usage, 3 input needed, 4 key refused, 5 not found, 6 conflict, 7 rejected,
8 throttled, 9 not applied, 10 outcome unknown, 11 local state, 130 cancelled.`;

type Runner = ProgramOptions['run'];

/** Made once: the program, each noun and each command have them. */
const globals = globalOptions.flatMap(parserOptions);

type Named<Entry> = readonly (readonly [name: string, entry: Entry])[];

/** The only one that the parser can reach where the user begins with its name, else all: for help and suggestions. */
function needed<Entry>(entries: Readonly<Record<string, Entry>>, word = ''): Named<Entry> {
  const entry = Object.hasOwn(entries, word) ? entries[word] : undefined;
  return entry === undefined ? Object.entries(entries) : [[word, entry]];
}

type Step = (command: Command) => Promise<void> | void;

/** What the parser does when it reaches a subcommand: until then it is a name and a summary. */
function onReaching(parent: Command): Map<Command, Step> {
  const steps = new Map<Command, Step>();
  parent.hook('preSubcommand', (_, command) => steps.get(command)?.(command));
  return steps;
}

function addGroup(program: Command, name: string, { summary }: Group): Command {
  return program.command(name).description(`${summary}.`).summary(summary).usage('<command> [options]');
}

function fillGroup(group: Command, verbs: Named<Leaf>, run: Runner): void {
  group.helpCommand(false).enablePositionalOptions();
  addOptions(group, globals);
  const reached = onReaching(group);
  for (const [verb, leaf] of verbs) {
    reached.set(addLeaf(group, verb, leaf), (command) => fillLeaf(command, leaf, run));
  }
}

function addLeaf(parent: Command, name: string, { summary }: Leaf): Command {
  return parent.command(name).summary(summary).description(summary).allowExcessArguments(false);
}

async function fillLeaf(command: Command, leaf: Leaf, run: Runner): Promise<void> {
  const { command: definition } = await leaf.load();
  const names = definition.arguments ?? [];
  command.description(definition.description);
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
  addOptions(command, (definition.options ?? []).flatMap(parserOptions));
  const refused = refusedFlags(definition);
  addOptions(command, refused.length === 0 ? globals : globalOptions.flatMap(parserOptions));
  for (const option of command.options) if (refused.includes(option.long ?? '')) option.hideHelp();
  command.addHelpText(
    'after',
    `\nExamples:\n${definition.examples.map((example) => `  $ storectl ${example}`).join('\n')}`,
  );
  command.action(async () => {
    await run(definition, {
      arguments: Object.fromEntries(
        names.map(({ name }, index) => [name, givenArguments(command.processedArgs[index])]),
      ),
      options: collectOptions(command),
    });
  });
}

function addOptions(command: Command, options: readonly Option[]): void {
  for (const option of options) command.addOption(option);
}

/** An option in the parser's terms; a switch that `--no-…` turns off is two. */
function parserOptions({ flag, short, value, negatable, description, group }: OptionSpec): Option[] {
  const option = new Option(
    [short, value === undefined ? flag : `${flag} <${value}>`].filter(Boolean).join(', '),
    description,
  ).helpGroup(group);
  // Otherwise commander takes --no-input for the opposite of --input.
  if (flag.startsWith('--no-')) option.negate = false;
  // Lists and maps repeat their flag; of the others the last one counts. Defaults belong to the commands.
  if (value !== undefined) option.argParser<string[]>((text, given) => [...(given ?? []), text]);
  if (!negatable) return [option];
  negatableOptions.add(option);
  return [option, new Option(flag.replace('--', '--no-')).hideHelp()];
}

/** Options of the program, its noun and its verb, the innermost first, by their flags. */
function collectOptions(leaf: Command): Map<string, readonly string[] | boolean> {
  const collected = new Map<string, readonly string[] | boolean>();
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      const flag = option.long ?? '';
      const name = option.attributeName();
      if (command.getOptionValueSource(name) !== 'cli') continue;
      const value: unknown = command.getOptionValue(name);
      const positive = flag.replace(/^--no-/, '--');
      const key = option.negate && command.options.some(({ long }) => long === positive) ? positive : flag;
      if (collected.has(key)) continue;
      if (Array.isArray(value)) collected.set(key, value.map(String));
      else collected.set(key, key === flag && option.negate ? value === false : value === true);
    }
  }
  return collected;
}

function givenArguments(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
