import { asObject } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { notTogether } from '../../cli/core/errors.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { describeOperation } from '../../cli/operation/call/operation-options.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { send } from '../../cli/operation/send/send.ts';
import { showSettings } from '../../contract/operations/settings.ts';
import { refuseInexactNumbers } from './settings-diff.ts';
import { settingsYaml } from './settings-yaml.ts';

const input = {
  operation: showSettings,
  options: [
    { flag: '--yaml', description: 'Print YAML that `settings save --from-file` takes, to be edited' },
  ],
};

export const command: CommandDefinition = {
  ...describeOperation(input),
  description:
    'Show the operations settings: quiet hours, templates, discovery, showcase and mobile privacy.',
  examples: [
    'settings show',
    'settings show --yaml > settings.yaml',
    'settings show --fields quietHours,templates',
    'settings show --json > settings.json',
  ],
  async run(call) {
    const { json, quiet, fields } = call.ui;
    const other = fields !== null ? '--fields' : json ? '--json' : quiet ? '--quiet' : null;
    if (other !== null && isOn(call.parsed, '--yaml')) throw notTogether('--yaml', other);
    const run = await readInput(call, input);
    if (call.session.flags.dryRun) return printDryRun(run);
    return printResult(run, { show }, await send(run));
  },
};

async function show({ response, text, etag }: Result, { parsed }: Run) {
  const document = asObject(response);
  if (isOn(parsed, '--yaml')) {
    refuseInexactNumbers({ document, text, etag });
    return settingsYaml(document);
  }
  const { rowsOf } = await import('../../cli/output/tables.ts');
  const { fieldsForPeople } = await import('../../cli/output/labels.ts');
  return rowsOf(fieldsForPeople(response));
}
