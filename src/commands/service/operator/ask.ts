import { inputNeeded, type MissingInput } from '../../../cli/command/input-needed.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { askOrFail, chooseOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { confirmOrFail, missingConfirmation } from '../../../cli/prompts/confirm-or-fail.ts';
import type { Choice } from '../../../cli/prompts/prompts.ts';
import { askFromStart } from '../../../cli/prompts/questions.ts';
import { type ListedKey, listKeys, listStores } from '../../../service/index.ts';
import type { Operator } from './operator-command.ts';

/** The store that `--store` names, or that the user chooses in a terminal. */
export async function chooseStore(
  operator: Operator,
  description: string,
  question: string,
): Promise<string> {
  const { ui, storeId } = operator;
  if (storeId !== undefined) return storeId;
  const missing = { field: 'store', give: '--store ID', description };
  const choices = ui.canAsk ? await storeChoices(operator) : [];
  return chooseOrFail(ui, missing, question, choices);
}

/** A longer list of choices is of no use. */
const maxChoices = 500;

/** Throws exit 2 if there are none. */
async function storeChoices({ open, next }: Operator): Promise<Choice[]> {
  const stores = await open((storage) => listStores(storage, { limit: maxChoices }));
  if (stores.length === 0) {
    throw usageError('there are no stores in the database', `run \`${next('stores create')}\` to create one`);
  }
  return stores.map(({ id, name }) => ({ value: id, name: `${printable(name)}  ${id}` }));
}

/** The id given as argument; if none, the user of a terminal chooses a valid key and confirms it. */
export async function chooseKey(
  operator: Operator,
  given: string | undefined,
  {
    what,
    question,
    confirmation,
  }: { readonly what: string; readonly question: string; confirmation(keyId: string): string },
): Promise<string> {
  if (given !== undefined) return given;
  const { ui, next } = operator;
  const missing = {
    field: 'keyId',
    give: '<keyId>',
    description: `${what}, from \`${next('keys list')}\``,
  };
  if (!ui.canAsk) throw inputNeeded([missing]);
  let storeId = '';
  let keyId = '';
  const askStore = async () => {
    storeId = await chooseStore(operator, 'store of the key', 'Which store is the key for?');
  };
  const askKey = async () => {
    const choices = await keyChoices(operator, storeId);
    keyId = await chooseOrFail(ui, missing, question, choices, confirmation);
  };
  await askFromStart(() => [askStore, askKey]);
  return keyId;
}

/** The valid keys. Throws exit 2 if there are none. */
async function keyChoices({ open, next }: Operator, storeId: string): Promise<Choice[]> {
  const keys = await open((storage) => listKeys(storage, storeId));
  const choices = keys.filter(({ state }) => state === 'active').map(describeKey);
  if (choices.length > 0) return choices;
  const create = next(`keys create --store ${storeId}`);
  throw usageError(`store ${storeId} has no valid key`, `run \`${create}\` to create one`);
}

function describeKey({ id, label, scopes, createdAt }: ListedKey): Choice {
  const count = scopes.length === 1 ? '1 scope' : `${scopes.length} scopes`;
  const name = `${id}  ${label || 'no label'}, ${count}, created ${createdAt.slice(0, 10)}`;
  return { value: id, name: printable(name), short: id };
}

/** A required option, with the question for the user of a terminal. */
export interface RequiredOption extends MissingInput {
  readonly question: string;
}

/**
 * The store and the values of required options, in order. The user of a terminal is asked for what is missing; elsewhere,
 * throws exit 3, which names all of it at once.
 */
export async function askForStoreAnd(
  operator: Operator,
  store: { readonly description: string; readonly question: string },
  required: readonly RequiredOption[],
): Promise<readonly string[]> {
  const { ui, parsed, storeId } = operator;
  const given = required.map(({ give }) => optionValue(parsed, give.split(' ')[0] ?? ''));
  const missing = required.filter((_, index) => given[index] === undefined);
  const missingStore = { field: 'store', give: '--store ID', description: store.description };
  const all = [...(storeId === undefined ? [missingStore] : []), ...missing];
  if (all.length > 0 && !ui.canAsk) throw inputNeeded(all);
  const answers: string[] = [];
  const askStore = async () => {
    answers[0] = await chooseStore(operator, store.description, store.question);
  };
  const askOptions = required.map((option, index) => async () => {
    answers[index + 1] = await askOption(ui, given[index], option);
  });
  await askFromStart(() => [askStore, ...askOptions]);
  return answers;
}

/** The value of an option; if it is not given, the user of a terminal types it. Escape is left to the caller. */
export async function askOption(
  ui: Ui,
  given: string | undefined,
  { question, ...missing }: RequiredOption,
): Promise<string> {
  if (given !== undefined) return given;
  return askOrFail(ui, [missing], ({ askText }) => askText(ui.io, question));
}

/** Has the user type the id of what is about to go, unless `--confirm` gives it. Throws exit 2, 3 or 130. */
export async function confirmId(ui: Ui, parsed: ParsedCommand, id: string, question: string): Promise<void> {
  if (!ui.canAsk || parsed.options.has('--confirm')) return confirmOrFail(ui, parsed, id, '');
  const validate = (text: string) => text.trim() === id || `This is not ${id}. Press Ctrl-C to cancel.`;
  await askOrFail(ui, [missingConfirmation(id)], ({ askText }) =>
    askText(ui.io, question, { validate, isConfirmation: true }),
  );
}
