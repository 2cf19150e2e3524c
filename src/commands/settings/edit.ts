import { stringify } from 'yaml';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { deriveFlags } from '../../cli/input/field-flags.ts';
import { parseObject } from '../../cli/input/input-files.ts';
import { checkBody } from '../../cli/input/request-body.ts';
import { printResult } from '../../cli/operation/run/print-result.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { announce } from '../../cli/operation/run/send.ts';
import { editUntilUsed } from '../../cli/prompts/editor.ts';
import { saveSettings } from '../../contract/operations/settings.ts';
import { clientFields, previewSave, readSettings, sameJson, settingsRun } from './settings-diff.ts';

const fields = deriveFlags(saveSettings.body);

export const command: CommandDefinition = {
  description: `Edit the operations settings as YAML in $VISUAL or $EDITOR. What is invalid, or refused by the service, brings
you back to the editor with your text and the reason. Stops when somebody else changed them in the meantime.`,
  examples: ['settings edit', 'settings edit --profile outlet'],
  async run(context, parsed) {
    if (!context.canPrompt) {
      throw new CliError({
        code: 'input_needed',
        exitCode: exitCodes.inputNeeded,
        message: 'an editor needs a terminal with somebody at it who may be asked',
        hint: 'use `storectl settings save` with flags or --from-file',
        outcome: 'not_sent',
      });
    }
    const run = await settingsRun({ context, fields, parsed });
    announce(run);
    const performed = await editAndSave(run);
    if (performed === null) context.notice('Nothing was changed.');
    else await printResult(run, { id: () => undefined }, performed);
    return undefined;
  },
};

/** Null where the user left the text as it was. */
async function editAndSave(run: Run): Promise<Performed | null> {
  const { context } = run.ui;
  const base = await readSettings(run);
  return editUntilUsed(context, stringify(clientFields(base.document)), {
    fileName: 'settings.yaml',
    withNote: (text, problem) => header(problem) + text,
    withoutNote: withoutHeader,
    async use(text) {
      const next = await parseObject(text, 'your text');
      checkBody(saveSettings, fields, next);
      if (sameJson(next, clientFields(base.document))) return null;
      const hint = 'your text is below; edit again to change the settings as they are now';
      const preview = previewSave(run, base, next, hint);
      context.notice(preview.text);
      return preview.send();
    },
    nothing: 'nothing was saved',
    keep: 'keep it in a file for --from-file',
  });
}

function header(problem: string | null): string {
  const lines = [
    ...(problem === null ? [] : ['Not saved:', ...problem.split('\n'), '']),
    'Operations settings. Save and leave the editor to apply them; an empty text cancels.',
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n`;
}

/** Comments at the top are ours; those further down are the user's and do no harm. */
function withoutHeader(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/^(#[^\n]*\n)+\n?/, '');
}
