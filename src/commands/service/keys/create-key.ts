import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import type { Context } from '../../../cli/command/context.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { choiceOf, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { noticeDone } from '../../../cli/operation/run/print-result.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';
import { chooseOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { askFromStart } from '../../../cli/prompts/questions.ts';
import { createKey, type Preset, presets, type Scope, scopes } from '../../../service/index.ts';
import { chooseStore } from '../ask.ts';
import { databaseOption, withStorage } from '../database-options.ts';

const presetNames = Object.keys(presets) as Preset[];

export const command: CommandDefinition = {
  description:
    'Create an API key for one store. The key is printed on stdout once: the database keeps only its hash.',
  options: [
    {
      flag: '--preset',
      value: 'NAME',
      description: 'Set of scopes: owner (default), ci-backup or support',
      complete: presetNames,
    },
    {
      flag: '--scopes',
      value: 'LIST',
      description: 'Scopes instead of a preset, comma-separated',
      complete: scopes,
      list: true,
    },
    { flag: '--label', value: 'TEXT', description: 'Label of the key' },
    { flag: '--expires-in-days', value: 'N', description: 'Days until the key expires (default: never)' },
    databaseOption,
  ],
  listedGlobals: ['--store'],
  examples: [
    'service create-key --store 4be5… --preset ci-backup --label "nightly job"',
    'service create-key --store 4be5… --scopes settings:read --expires-in-days 90',
    'service create-key --store 4be5… --database postgres://storectl@db.example.com/stores',
  ],
  async run(context, parsed) {
    const wasAsked = context.flags.store === undefined;
    let storeId = '';
    let grant: Grant = { preset: 'owner' };
    const askStore = async () => {
      const question = 'Which store is the key for?';
      storeId = await chooseStore(context, parsed, 'store that the key is for', question);
    };
    const chooseGrant = async () => {
      grant = wasAsked ? await askGrant(context, parsed) : readGrant(parsed);
    };
    await askFromStart(() => [askStore, chooseGrant]);
    const label = optionValue(parsed, '--label');
    const days = optionValue(parsed, '--expires-in-days');
    if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) {
      throw usageError(`--expires-in-days must be a whole number of days (got "${days}")`, 'for example 90');
    }
    const expiresInSeconds = days === undefined ? undefined : Number(days) * 86_400;
    const created = await withStorage(context, parsed, (storage) =>
      createKey(storage, { storeId, ...grant, label, expiresInSeconds }),
    );
    const what = 'preset' in grant ? grant.preset : created.scopes.join(', ');
    const expiry =
      created.expiresAt === null ? 'never expires' : `expires ${formatMinute(created.expiresAt)}`;
    noticeDone(context, `Created key ${created.id} for store ${storeId} (${what}, ${expiry})`);
    if (context.flags.json) printJson(context, created);
    else {
      context.print(created.key);
      context.notice('Copy the key now: it will not be shown again.');
    }
  },
};

/** Asks for the scopes too if the store was asked for: the default preset may do everything. */
async function askGrant(context: Context, parsed: ParsedCommand): Promise<Grant> {
  if (parsed.options.has('--preset') || parsed.options.has('--scopes')) return readGrant(parsed);
  const missing = { field: 'preset', give: '--preset NAME', description: 'scopes of the key' };
  const choices = Object.entries(presets).map(([value, granted]) => ({
    ...{ value, short: value },
    name: `${value}  ${granted.length === scopes.length ? 'everything' : granted.join(', ')}`,
  }));
  const name = await chooseOrFail(context, missing, 'What should the key be able to do?', choices);
  const preset = presetNames.find((known) => known === name);
  return preset === undefined ? readGrant(parsed) : { preset };
}

type Grant = { preset: Preset } | { scopes: Scope[] };

function readGrant(parsed: ParsedCommand): Grant {
  const preset = choiceOf(parsed, '--preset', presetNames);
  const list = optionValue(parsed, '--scopes');
  if (list === undefined) return { preset: preset ?? 'owner' };
  if (preset !== undefined) throw usageError('--preset and --scopes cannot be used together');
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw usageError(`unknown scope "${unknown}"`, `use one of ${scopes.join(', ')}`);
  return { scopes: names.filter(isScope) };
}

function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}
