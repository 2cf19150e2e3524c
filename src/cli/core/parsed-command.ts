import { usageError } from './errors.ts';

/** What the user typed, split into arguments and options but not interpreted yet. */
export interface ParsedCommand {
  readonly arguments: Readonly<Record<string, readonly string[]>>;
  /** By flag: the values in the order in which they were given, or whether a switch is on. */
  readonly options: ReadonlyMap<string, readonly string[] | boolean>;
}

/** The values of an option, in their order. */
export function optionValues(parsed: ParsedCommand, flag: string): readonly string[] {
  const given = parsed.options.get(flag);
  return typeof given === 'object' ? given : [];
}

/** The last value of an option, or undefined. */
export function optionValue(parsed: ParsedCommand, flag: string): string | undefined {
  return optionValues(parsed, flag).at(-1);
}

/** The value of an option that takes one of a few words, or undefined. Throws exit 2 for any other word. */
export function choiceOf<Word extends string>(
  parsed: ParsedCommand,
  flag: string,
  words: readonly Word[],
): Word | undefined {
  const given = optionValue(parsed, flag);
  const word = words.find((one) => one === given);
  if (word !== undefined || given === undefined) return word;
  const name = flag.slice(2);
  throw usageError(`unknown ${name} "${given}"`, `use one of ${words.join(', ')}`, {
    fields: [{ field: name, flag, detail: `must be one of ${words.join(', ')}` }],
  });
}

export function isOn(parsed: ParsedCommand, flag: string): boolean {
  return parsed.options.get(flag) === true;
}

/** The first value of an argument, or undefined. */
export function argumentValue(parsed: ParsedCommand, name: string): string | undefined {
  return parsed.arguments[name]?.[0];
}
