import { type CommandDefinition, refusedFlags } from '../src/cli/command/command-definition.ts';
import { globalOptions } from '../src/cli/command/global-options.ts';
import type {
  CompletedCommand,
  CompletedFlag,
  CompletedValue,
  CompletionModel,
} from '../src/cli/completion/model.ts';
import type { ArgumentSpec, Completion, OptionSpec } from '../src/cli/core/option-spec.ts';
import { topics } from '../src/cli/program/topics.ts';
import type { LoadedCommand } from './command-definitions.ts';

const help: CompletedFlag = { names: ['--help', '-h'], description: 'Show help', value: null };
const version: CompletedFlag = { names: ['--version', '-V'], description: 'Print the version', value: null };

/** What Tab offers for these commands. Throws for a word that a shell would interpret. */
export function completionModel(commands: readonly LoadedCommand[]): CompletionModel {
  const refusable = new Set(commands.flatMap(definitionsIn).flatMap(refusedFlags));
  const some = globalOptions.filter(({ flag }) => refusable.has(flag));
  const all = globalOptions.filter(({ flag }) => !refusable.has(flag));
  return {
    program: {
      summary: '',
      commands: Object.fromEntries(commands.map((command) => [lastWord(command), completed(command, some)])),
      flags: [version, ...some.flatMap((option) => flagsOf(option, []))],
      arguments: [],
      variadic: false,
    },
    flags: [...all.flatMap((option) => flagsOf(option, [])), help],
    topics: Object.fromEntries(Object.entries(topics).map(([name, { summary }]) => [name, summary])),
  };
}

/** The definitions below a noun, or the definition of a command. */
function definitionsIn({ definition, commands }: LoadedCommand): CommandDefinition[] {
  return [...(definition === null ? [] : [definition]), ...commands.flatMap(definitionsIn)];
}

/** `refusable` are global options that some commands refuse. */
function completed(command: LoadedCommand, refusable: readonly OptionSpec[]): CompletedCommand {
  const { summary, definition, commands } = command;
  const fields = definition?.responseFields?.() ?? [];
  const below = definitionsIn(command).map(refusedFlags);
  const taken = refusable.filter(({ flag }) => !below.every((refused) => refused.includes(flag)));
  const positional = definition?.arguments ?? [];
  return {
    summary,
    commands: Object.fromEntries(commands.map((verb) => [lastWord(verb), completed(verb, refusable)])),
    flags: [...(definition?.options ?? []), ...taken].flatMap((option) => flagsOf(option, fields)),
    arguments: positional.map(argumentValue),
    variadic: positional.at(-1)?.variadic === true,
  };
}

function lastWord({ path }: LoadedCommand): string {
  return path.split(' ').at(-1) ?? '';
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
  return [{ names, description, value: completedValue(known, fields, list) }];
}

function argumentValue({ name, complete }: ArgumentSpec): CompletedValue {
  return completedValue(complete ?? (name === 'file' ? 'file' : undefined), [], false);
}

function completedValue(
  complete: Completion | undefined,
  fields: readonly string[],
  list: boolean,
): CompletedValue {
  if (complete === undefined) return {};
  if (typeof complete === 'string' && complete !== 'field') return { kind: complete };
  const words = complete === 'field' ? fields : complete;
  const unsafe = words.find((word) => !/^[A-Za-z0-9][\w.:-]*$/.test(word));
  if (unsafe !== undefined) throw new RangeError(`"${unsafe}" means something to a shell`);
  return words.length === 0 ? {} : { words, ...(list && { list }) };
}
