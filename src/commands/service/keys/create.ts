import type { Ui } from '../../../cli/command/ui.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { choiceOf, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { chooseOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { askFromStart } from '../../../cli/prompts/questions.ts';
import { createKey, type Preset, presets, type Scope, scopes } from '../../../service/index.ts';
import { chooseStore } from '../operator/ask.ts';
import { eachLine, linesOption } from '../operator/lines.ts';
import { operatorCommand } from '../operator/operator-command.ts';
import { printKey } from './print-key.ts';

const presetNames = Object.keys(presets) as Preset[];

export const command = operatorCommand({
  description:
    'Create an API key for a store, or one for each of many. A key is printed on stdout once: the database keeps only its hash.',
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
    linesOption('--stores-from', 'a key for each line of a file, which is the ID of a store; prints both'),
  ],
  listedGlobals: ['--store'],
  examples: [
    'service keys create --store 4be5… --preset ci-backup --label "nightly job"',
    'service keys create --store 4be5… --scopes settings:read --expires-in-days 90',
    'service keys create --stores-from ids.txt > keys.txt',
  ],
  async run(operator) {
    const { ui, parsed, open } = operator;
    const label = optionValue(parsed, '--label');
    const expiresInSeconds = readLifetime(parsed);
    if (parsed.options.has('--stores-from')) {
      const granted = readGrant(parsed);
      await eachLine(operator, '--stores-from', {
        open: (work) => open(work),
        run: async (storage, id) => ({
          storeId: id,
          ...(await createKey(storage, { storeId: id, ...granted, label, expiresInSeconds })),
        }),
        show: ({ storeId: id, key }) => `${id}\t${key}`,
      });
      return;
    }
    const wasAsked = operator.storeId === undefined;
    let storeId = '';
    let grant: Grant = { preset: 'owner' };
    const askStore = async () => {
      const question = 'Which store is the key for?';
      storeId = await chooseStore(operator, 'store that the key is for', question);
    };
    const chooseGrant = async () => {
      grant = wasAsked ? await askGrant(ui, parsed) : readGrant(parsed);
    };
    await askFromStart(() => [askStore, chooseGrant]);
    const created = await open((storage) =>
      createKey(storage, { storeId, ...grant, label, expiresInSeconds }),
    );
    const what = 'preset' in grant ? grant.preset : created.scopes.join(', ');
    printKey(ui, created, storeId, what);
  },
});

function readLifetime(parsed: ParsedCommand): number | undefined {
  const days = optionValue(parsed, '--expires-in-days');
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(days)) return Number(days) * 86_400;
  throw usageError(`--expires-in-days must be a whole number of days (got "${days}")`, 'for example 90');
}

/** Asks for the scopes too if the store was asked for: the default preset may do everything. */
async function askGrant(ui: Ui, parsed: ParsedCommand): Promise<Grant> {
  if (parsed.options.has('--preset') || parsed.options.has('--scopes')) return readGrant(parsed);
  const missing = { field: 'preset', give: '--preset NAME', description: 'scopes of the key' };
  const choices = Object.entries(presets).map(([value, granted]) => ({
    value,
    short: value,
    name: `${value}  ${granted.length === scopes.length ? 'everything' : granted.join(', ')}`,
  }));
  const name = await chooseOrFail(ui, missing, 'What should the key be able to do?', choices);
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
