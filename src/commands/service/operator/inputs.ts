import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { askOrFail, chooseOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import type { Choice } from '../../../cli/prompts/prompts.ts';
import { askFromStart } from '../../../cli/prompts/questions.ts';
import { type ListedKey, listKeys, listStores } from '../../../service/index.ts';
import type { Operator } from './operator-command.ts';

/** A value that a command needs. */
export interface Input {
  /** The option or argument that gives it: `--dispute ID`, `<keyId>`. */
  readonly give: string;
  readonly description: string;
  /** What the user of a terminal is asked if it is not given. */
  readonly question: string;
  /** What there is to choose from; without it, the value is typed. `answers` are the values of the inputs before it. */
  choices?(answers: Readonly<Record<string, string>>): Promise<readonly Choice[]>;
}

/**
 * The values of inputs by their names. The user of a terminal is asked for what is missing, in order; elsewhere, throws
 * exit 3, which names all of it at once.
 */
export async function readInputs<Name extends string>(
  { ui, parsed }: Operator,
  inputs: Readonly<Record<Name, Input>>,
): Promise<Readonly<Record<Name, string>>> {
  const all = Object.entries<Input>(inputs).map(([field, input]) => ({ field, ...input }));
  const missing = all.filter(({ give }) => givenValue(parsed, give) === undefined);
  if (missing.length > 0 && !ui.canAsk) throw inputNeeded(missing);
  const answers: Record<string, string> = {};
  const ask = async ({ field, question, choices, ...input }: (typeof all)[number]) => {
    const asked = { field, ...input };
    if (choices === undefined) return askOrFail(ui, [asked], ({ askText }) => askText(ui.io, question));
    return chooseOrFail(ui, asked, question, await choices(answers));
  };
  const questions = all.map((input) => async () => {
    answers[input.field] = givenValue(parsed, input.give) ?? (await ask(input));
  });
  await askFromStart(() => questions);
  return answers as Record<Name, string>;
}

function givenValue(parsed: ParsedCommand, give: string): string | undefined {
  const [name = ''] = give.split(' ');
  return name.startsWith('--') ? optionValue(parsed, name) : argumentValue(parsed, name.slice(1, -1));
}

/** A longer list of choices is of no use. */
const maxChoices = 500;

/** The store of `--store`. Choosing throws exit 2 if there is none. */
export function storeInput({ open, next }: Operator, description: string, question: string): Input {
  return {
    give: '--store ID',
    description,
    question,
    async choices() {
      const stores = await open((storage) => listStores(storage, { limit: maxChoices }));
      if (stores.length === 0) {
        throw usageError(
          'there are no stores in the database',
          `run \`${next('stores create')}\` to create one`,
        );
      }
      return stores.map(({ id, name }) => ({ value: id, name: `${printable(name)}  ${id}` }));
    },
  };
}

/** A key, and before it the store that it is chosen from. Choosing throws exit 2 if there is no valid one. */
export async function readKeyId(
  operator: Operator,
  texts: Pick<Input, 'description' | 'question'>,
): Promise<string> {
  const { open, next, ui } = operator;
  const keyId: Input = {
    ...texts,
    give: '<keyId>',
    description: `${texts.description}, from \`${next('keys list')}\``,
    async choices({ store = '' }) {
      const keys = await open((storage) => listKeys(storage, store));
      const choices = keys.filter(({ state }) => state === 'active').map(describeKey);
      if (choices.length > 0) return choices;
      const create = next(`keys create --store ${store}`);
      throw usageError(`store ${store} has no valid key`, `run \`${create}\` to create one`);
    },
  };
  const isGiven = argumentValue(operator.parsed, 'keyId') !== undefined;
  if (isGiven || !ui.canAsk) return (await readInputs(operator, { keyId })).keyId;
  const store = storeInput(operator, 'store of the key', 'Which store is the key for?');
  return (await readInputs(operator, { store, keyId })).keyId;
}

function describeKey({ id, label, scopes, createdAt }: ListedKey): Choice {
  const count = scopes.length === 1 ? '1 scope' : `${scopes.length} scopes`;
  const name = `${id}  ${label || 'no label'}, ${count}, created ${createdAt.slice(0, 10)}`;
  return { value: id, name: printable(name), short: id };
}
