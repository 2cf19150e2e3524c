import type { ExitCode } from '../core/exit-codes.ts';
import type { Context } from './context.ts';

/**
 * What Tab offers for a value: words that it is known to take, or something that is looked up: ids that this machine's
 * history knows, profiles, the fields of the answer, files.
 */
export type Completion = readonly string[] | CompletionKind;

export const completionKinds = [
  'file',
  'field',
  'profile',
  'record',
  'open-record',
  'backup',
  'dispute',
  'reclaim',
] as const;

export type CompletionKind = (typeof completionKinds)[number];

/** A positional argument. Commands say themselves what is missing, so none is required by the parser. */
export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly variadic?: boolean;
  /** Shown in brackets in the usage line. */
  readonly optional?: boolean;
  readonly complete?: Completion;
}

export interface OptionSpec {
  /** `--label`. */
  readonly flag: string;
  /** `-q`. */
  readonly short?: string;
  /** Name of the value in the help, `TEXT`. Without one the option is a switch. */
  readonly value?: string;
  /** A switch that `--no-…` turns off. */
  readonly negatable?: boolean;
  readonly description: string;
  /** Heading in the help. */
  readonly group: string;
  readonly complete?: Completion;
  /** The value is a list with commas: its last part is completed. */
  readonly list?: boolean;
}

/** What the user typed, before any of it is looked at. */
export interface ParsedCommand {
  readonly arguments: Readonly<Record<string, readonly string[]>>;
  /** By flag: the values in the order in which they were given, or whether a switch is on. */
  readonly options: ReadonlyMap<string, readonly string[] | boolean>;
}

/** A command of the program, without its name: `program.ts` knows where it stands in the tree. */
export interface CommandDefinition {
  /** What it does, in a few sentences for its help. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Command lines for the help, without `storectl`. */
  readonly examples: readonly string[];
  /** Dotted names of the fields that the answer is known to have, for `--fields`. */
  answerFields?(): readonly string[];
  /** Whether `--dry-run` shows what would be sent. Other commands refuse it: better than to do it. */
  readonly dryRun?: boolean;
  /** It prints nothing that `--fields` could choose from, and refuses it. */
  readonly withoutJson?: boolean;
  run(context: Context, parsed: ParsedCommand): Promise<ExitCode | undefined>;
}

/** Flags of every command that this one refuses: they are neither in its help nor completed. */
export function refusedFlags({
  dryRun,
  withoutJson,
}: Pick<CommandDefinition, 'dryRun' | 'withoutJson'>): string[] {
  return [...(dryRun ? [] : ['--dry-run']), ...(withoutJson ? ['--fields'] : [])];
}

/** The last value of an option, or undefined. */
export function optionValue(parsed: ParsedCommand, flag: string): string | undefined {
  const given = parsed.options.get(flag);
  return typeof given === 'object' ? given.at(-1) : undefined;
}

export function isOn(parsed: ParsedCommand, flag: string): boolean {
  return parsed.options.get(flag) === true;
}

/** The first value of an argument, or undefined. */
export function argumentValue(parsed: ParsedCommand, name: string): string | undefined {
  return parsed.arguments[name]?.[0];
}
