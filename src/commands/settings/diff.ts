import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { dottedPath } from '../../cli/core/field-path.ts';
import { isOn, optionValue } from '../../cli/core/parsed-command.ts';
import { describeInput } from '../../cli/operation/call/operation-options.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { drawSettings, planSave, warnOfUnknown } from './settings-diff.ts';
import { splitByKnown } from './unknown-settings.ts';
import { whatChanges } from './what-changes.ts';

const input = {
  operation: saveSettings,
  options: [{ flag: '--exit-code', description: 'Exit with 6 if the settings differ' }],
};

export const command: CommandDefinition = {
  ...describeInput(input),
  description: `Show what \`settings save\` with the same flags would change, without saving it. With --exit-code, it
exits with 6 if anything differs, for CI jobs that keep settings in a file. What \`settings save\` refuses is refused here, too.`,
  examples: [
    'settings diff --from-file settings.yaml',
    'settings diff --from-file settings.yaml --exit-code --json',
  ],
  async run(call) {
    const isFromFile = optionValue(call.parsed, '--from-file') !== undefined;
    const steps = { isSent: false, ...(!isFromFile && { whatChanges }) };
    const run = await readInput(call, input, steps);
    const { ui, parsed } = run;
    const { changes } = await planSave(run);
    warnOfUnknown(ui, changes);
    if (ui.json) {
      const { unknown } = splitByKnown(changes);
      printJson(
        ui,
        changes.map((change) => ({
          ...change,
          path: dottedPath(change.path),
          known: !unknown.includes(change),
        })),
      );
    } else if (changes.length === 0) ui.notice('No differences.');
    else ui.print(await drawSettings(changes, ui.out));
    return changes.length > 0 && isOn(parsed, '--exit-code') ? { exitCode: exitCodes.conflict } : undefined;
  },
};
