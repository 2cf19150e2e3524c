import { type CommandDefinition, refusedFlags } from '../../src/cli/command/command-definition.ts';
import { globalOptions } from '../../src/cli/command/global-options.ts';
import { parameterKinds } from '../../src/cli/completion/known-values.ts';
import type { ArgumentSpec, Completion, OptionSpec } from '../../src/cli/core/option-spec.ts';
import { type Group, isGroup, type Leaf, tree } from '../../src/cli/program/command-tree.ts';

/** A command with its definition, or a noun with its verbs. */
export interface LoadedCommand {
  /** Words that lead to it: `backup create`. */
  readonly path: string;
  readonly summary: string;
  /** Null for a noun. */
  readonly definition: CommandDefinition | null;
  readonly commands: readonly LoadedCommand[];
}

/** The whole tree, with the definition of every command. */
export async function loadTree(): Promise<LoadedCommand[]> {
  return Promise.all(Object.entries(tree).map(([name, entry]) => load(name, entry)));
}

async function load(path: string, entry: Group | Leaf): Promise<LoadedCommand> {
  const { summary } = entry;
  if (!isGroup(entry)) return { path, summary, definition: (await entry.load()).command, commands: [] };
  const verbs = Object.entries(entry.commands).map(([verb, leaf]) => load(`${path} ${verb}`, leaf));
  return { path, summary, definition: null, commands: await Promise.all(verbs) };
}

/** A flag as a shell knows it. */
export interface CompletedFlag {
  /** `--quiet`, `-q`: the long one first. */
  readonly names: readonly string[];
  readonly description: string;
  /**
   * How its value is completed, or null for a switch: the empty text for a value that only the user knows, `@kind` for
   * what is looked up, else words with spaces between them, after a comma where the value is a list.
   */
  readonly value: string | null;
}

/** What may follow the words of `path`. */
export interface CompletedNode {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** Its own flags, without those of {@link CompletionModel.flags}. */
  readonly flags: readonly CompletedFlag[];
  /** How each positional argument is completed, as in {@link CompletedFlag.value}. */
  readonly arguments: readonly string[];
  /** Whether the last argument may be repeated. */
  readonly variadic: boolean;
}

export interface CompletionModel {
  /** Flags of every command: those that one refuses are with each of the others. */
  readonly flags: readonly CompletedFlag[];
  /** The program (its path is empty), the nouns and the commands. */
  readonly nodes: readonly CompletedNode[];
}

const help: CompletedFlag = { names: ['--help', '-h'], description: 'Show help', value: null };
const version: CompletedFlag = { names: ['--version', '-V'], description: 'Print the version', value: null };

/** Everything that the shells are told. Throws where a word would mean something to a shell. */
export function completionModel(commands: readonly LoadedCommand[]): CompletionModel {
  const refusable = new Set(commands.flatMap(commandsIn).flatMap(refusedFlags));
  const some = globalOptions.filter(({ flag }) => refusable.has(flag));
  const all = globalOptions.filter(({ flag }) => !refusable.has(flag));
  const root: CompletedNode = {
    path: '',
    commands: commands.map(({ path, summary }) => ({ name: path, summary })),
    flags: [version, ...some.flatMap((option) => flagsOf(option, []))],
    arguments: [],
    variadic: false,
  };
  return {
    flags: [...all.flatMap((option) => flagsOf(option, [])), help],
    nodes: [
      root,
      ...commands
        .flatMap((command) => [command, ...command.commands])
        .map((command) => nodeOf(command, some)),
    ],
  };
}

/** The definitions below a noun, or that of a command. */
function commandsIn({ definition, commands }: LoadedCommand): CommandDefinition[] {
  return [...(definition === null ? [] : [definition]), ...commands.flatMap(commandsIn)];
}

/** `general` are options of every command but those that refuse them. */
function nodeOf(command: LoadedCommand, general: readonly OptionSpec[]): CompletedNode {
  const { path, definition, commands } = command;
  const fields = definition?.answerFields?.() ?? [];
  const below = commandsIn(command).map(refusedFlags);
  const taken = general.filter(({ flag }) => !below.every((refused) => refused.includes(flag)));
  const own = [...(definition?.options ?? []), ...taken].flatMap((option) => flagsOf(option, fields));
  const positional = definition?.arguments ?? [];
  return {
    path,
    commands: commands.map((verb) => ({
      name: verb.path.slice(path.length + 1),
      summary: verb.summary,
    })),
    flags: own,
    arguments: positional.map(argumentValue),
    variadic: positional.at(-1)?.variadic === true,
  };
}

function flagsOf(option: OptionSpec, fields: readonly string[]): CompletedFlag[] {
  const { flag, short, value, negatable, description, complete, list = false } = option;
  const names = short === undefined ? [flag] : [flag, short];
  if (value === undefined) {
    const off = {
      names: [flag.replace('--', '--no-')],
      description: `Not: ${description}`,
      value: null,
    };
    return [{ names, description, value: null }, ...(negatable ? [off] : [])];
  }
  const known = complete ?? (/^FILE\b/.test(value) ? 'file' : undefined);
  return [{ names, description, value: encode(known, fields, list) }];
}

function argumentValue({ name, complete }: ArgumentSpec): string {
  return encode(complete ?? (name === 'file' ? 'file' : parameterKinds[name]), [], false);
}

function encode(complete: Completion | undefined, fields: readonly string[], list: boolean): string {
  if (complete === undefined) return '';
  if (typeof complete === 'string' && complete !== 'field') return `@${complete}`;
  const words = complete === 'field' ? fields : complete;
  const unsafe = words.find((word) => !/^[A-Za-z0-9][\w.:-]*$/.test(word));
  if (unsafe !== undefined) throw new RangeError(`"${unsafe}" is no word for every shell`);
  return words.length === 0 ? '' : (list ? ',' : '') + words.join(' ');
}

/** Rows of a table by their result, in the order in which the results first occur: what shells write as alternatives. */
export function groupByResult(
  rows: readonly (readonly [key: string, result: string])[],
): [result: string, keys: string[]][] {
  const groups = new Map<string, string[]>();
  for (const [key, result] of rows) groups.set(result, [...(groups.get(result) ?? []), key]);
  return [...groups];
}

export function flagNames(flags: readonly CompletedFlag[]): string[] {
  return flags.flatMap(({ names }) => names);
}

/** How values are completed, by `path flag`; a star is the path of the flags of every command. Switches are left out. */
export function valueRows({ flags, nodes }: CompletionModel): [string, string][] {
  return [...nodes, { path: '*', flags }].flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === null ? [] : names.map((name): [string, string] => [`${path} ${name}`, value]),
    ),
  );
}

/** How arguments are completed, by `path number`, from 0; a star is the number of one that may be repeated. */
export function argumentRows({ nodes }: CompletionModel): [string, string][] {
  return nodes.flatMap(({ path, arguments: values, variadic }) =>
    values.map((value, index): [string, string] => {
      const last = variadic && index === values.length - 1;
      return [`${path} ${last ? '*' : index}`, value];
    }),
  );
}
