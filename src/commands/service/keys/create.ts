import { notTogether, usageError } from '../../../cli/core/errors.ts';
import { choiceOf, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { createKey, type Preset, presets, type Scope, scopes } from '../../../service/index.ts';
import { afterOption, eachLine, linesOption } from '../operator/lines.ts';
import { operatorCommand } from '../operator/operator-command.ts';
import { readWholeNumber } from '../operator/service-settings.ts';
import { keyFileOption, openKeyFile } from './key-file.ts';
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
    afterOption,
    keyFileOption,
  ],
  listedGlobals: ['--store'],
  examples: [
    'service keys create --store 4be5… --preset ci-backup --label "nightly job"',
    'service keys create --store 4be5… --scopes settings:read --expires-in-days 90',
    'service keys create --stores-from ids.txt --output-file keys.txt',
  ],
  async run(operator) {
    const { ui, session, parsed, need, open } = operator;
    const expiresInSeconds = parsed.options.has('--expires-in-days')
      ? readWholeNumber(session, parsed, '--expires-in-days', { min: 1, max: 99_999, fallback: 90 }) * 86_400
      : undefined;
    const grant = readGrant(parsed);
    const labelled = { flags: { label: '--label' } };
    const options = { ...grant, label: optionValue(parsed, '--label'), expiresInSeconds };
    if (parsed.options.has('--stores-from')) {
      const file = openKeyFile(session, parsed);
      return eachLine(operator, '--stores-from', {
        options: labelled,
        run: async (storage, id) => ({
          storeId: id,
          ...(await createKey(storage, { ...options, storeId: id })),
        }),
        show({ storeId: id, key }) {
          file?.write(`${id}\t${key}`);
          return line`${id}\t${file === null ? key : 'written to the file'}`;
        },
      });
    }
    const { '--store': storeId } = await need(['--store']);
    const file = openKeyFile(session, parsed);
    const created = await open((storage) => createKey(storage, { ...options, storeId }), labelled);
    printKey(ui, file, created, storeId, 'preset' in grant ? grant.preset : created.scopes.join(', '));
  },
});

function readGrant(parsed: ParsedCommand): { preset: Preset } | { scopes: Scope[] } {
  const preset = choiceOf(parsed, '--preset', presetNames);
  const list = optionValue(parsed, '--scopes');
  if (list === undefined) return { preset: preset ?? 'owner' };
  if (preset !== undefined) throw notTogether('--preset', '--scopes');
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw usageError(`unknown scope "${unknown}"`, `use one of ${scopes.join(', ')}`);
  return { scopes: names.filter(isScope) };
}

function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}
