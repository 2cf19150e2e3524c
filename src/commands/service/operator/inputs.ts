import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';

/** A value that a command needs. */
export interface Input {
  /** The option or argument that gives it: `--dispute ID`, `<keyId>`. */
  readonly give: string;
  readonly description: string;
}

/** The values of inputs by their names. Throws exit 3, which names all that are missing: an operator is not asked. */
export function readInputs<Name extends string>(
  { parsed }: { readonly parsed: ParsedCommand },
  inputs: Readonly<Record<Name, Input>>,
): Readonly<Record<Name, string>> {
  const all = Object.entries<Input>(inputs).map(([field, input]) => {
    return { field, ...input, value: givenValue(parsed, input.give) };
  });
  const missing = all.filter(({ value }) => value === undefined);
  if (missing.length > 0) throw inputNeeded(missing, undefined, 'flags');
  return Object.fromEntries(all.map(({ field, value }) => [field, value])) as Record<Name, string>;
}

function givenValue(parsed: ParsedCommand, give: string): string | undefined {
  const [name = ''] = give.split(' ');
  return name.startsWith('--') ? optionValue(parsed, name) : argumentValue(parsed, name.slice(1, -1));
}

export const storeInput = (description: string): Input => ({ give: '--store ID', description });
