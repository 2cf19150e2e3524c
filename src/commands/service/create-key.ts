import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { usageError } from '../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { chooseOrFail } from '../../cli/prompts/ask-or-fail.ts';
import { askInOrder } from '../../cli/prompts/questions.ts';
import { createKey, type Preset, presets, type Scope, scopes } from '../../service/index.ts';
import { chooseStore } from './ask.ts';
import { databaseOption, withStorage } from './database-options.ts';
import { describeRefusal } from './refusals.ts';

const group = 'Options:';

export const command: CommandDefinition = {
  description: `Create a key to one store. The key is printed on stdout, this once: the database holds its hash alone.`,
  options: [
    {
      flag: '--preset',
      value: 'NAME',
      description: 'Rights: owner (default), ci-backup or support',
      group,
      complete: Object.keys(presets),
    },
    {
      flag: '--scopes',
      value: 'LIST',
      description: 'Rights one by one, with commas, instead of a preset',
      group,
      complete: scopes,
      list: true,
    },
    { flag: '--label', value: 'TEXT', description: 'Name for people', group },
    { flag: '--expires-in-days', value: 'N', description: 'Days until it ends (default: never)', group },
    databaseOption,
  ],
  examples: [
    'service create-key --store 4be5… --preset ci-backup --label "nightly job"',
    'service create-key --store 4be5… --scopes settings:read --expires-in-days 90',
    'service create-key --store 4be5… --database postgres://storectl@db.example.com/stores',
  ],
  async run(context, parsed) {
    const wasAsked = context.flags.store === undefined;
    let storeId = '';
    let rights: Rights = { preset: 'owner' };
    const askStore = async () => {
      const question = 'Which store is the key for?';
      storeId = await chooseStore(context, parsed, 'store that the key is for', question);
    };
    const askForRights = async () => {
      rights = wasAsked ? await askRights(context, parsed) : readRights(parsed);
    };
    await askInOrder(askStore, askForRights);
    const label = optionValue(parsed, '--label');
    const days = optionValue(parsed, '--expires-in-days');
    if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) {
      throw usageError(`--expires-in-days takes a number of days, and "${days}" is none`, 'for example 90');
    }
    const created = await withStorage(context, parsed, (storage) =>
      createKey(storage, {
        storeId,
        ...rights,
        ...(label !== undefined && { label }),
        ...(days !== undefined && { expiresInSeconds: Number(days) * 86_400 }),
      }).catch((error: unknown) => {
        throw describeRefusal(error, 'check --store and --database');
      }),
    );
    if (context.flags.json) printJson(context, created);
    else {
      context.print(created.key);
      const what = 'preset' in rights ? rights.preset : created.scopes.join(', ');
      const until = created.expiresAt === null ? 'without an end' : `valid until ${created.expiresAt}`;
      context.notice(`Key ${created.id} for store ${storeId}, ${what}, ${until}. It is not shown again.`);
    }
    return undefined;
  },
};

/** Somebody who is asked for the store is asked for the rights as well: a key of an owner may do everything. */
async function askRights(context: Context, parsed: ParsedCommand): Promise<Rights> {
  if (parsed.options.has('--preset') || parsed.options.has('--scopes')) return readRights(parsed);
  const missing = { field: 'preset', give: '--preset NAME', description: 'rights of the key' };
  const choices = Object.entries(presets).map(([value, granted]) => ({
    ...{ value, short: value },
    name: `${value}  ${granted.length === scopes.length ? 'everything' : granted.join(', ')}`,
  }));
  const name = await chooseOrFail(context, missing, 'What may the key do?', choices);
  return isPreset(name) ? { preset: name } : readRights(parsed);
}

type Rights = { preset: Preset } | { scopes: Scope[] };

function readRights(parsed: ParsedCommand): Rights {
  const preset = optionValue(parsed, '--preset');
  const list = optionValue(parsed, '--scopes');
  if (list === undefined) {
    const name = preset ?? 'owner';
    if (isPreset(name)) return { preset: name };
    throw usageError(`there is no preset "${name}"`, `there are: ${Object.keys(presets).join(', ')}`);
  }
  if (preset !== undefined) throw usageError('give --preset or --scopes, not both');
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw usageError(`there is no scope "${unknown}"`, `there are: ${scopes.join(', ')}`);
  return { scopes: names.filter(isScope) };
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name);
}

function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}
