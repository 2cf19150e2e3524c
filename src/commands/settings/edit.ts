import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { terminalNeeded } from '../../cli/command/input-needed.ts';
import { refuseEmptyKeys } from '../../cli/input/empty-keys.ts';
import { parseObject } from '../../cli/input/input-files.ts';
import { checkBody } from '../../cli/input/request-body.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { describeRefusal } from '../../cli/operation/questions/ask-missing.ts';
import { printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { editUntilUsed } from '../../cli/prompts/editor.ts';
import { clientFields, saveSettings } from '../../contract/operations/settings.ts';
import { prepareSave, readSettings, savedView, settingsRun } from './settings-diff.ts';
import { refuseMistypedSettings } from './unknown-settings.ts';

export const command: CommandDefinition = {
  description: `Edit the operations settings as YAML in $VISUAL or $EDITOR. If the text is invalid or the service rejects
it, the editor opens again with your text and the reason. Stops if someone else changed the settings in the meantime.`,
  withoutEffect: 'nothing was saved',
  examples: ['settings edit', 'settings edit --profile outlet'],
  async run({ ui, session, parsed }) {
    if (!ui.canAsk) {
      throw terminalNeeded('settings edit needs a terminal', {
        run: ['settings', 'save'],
        rest: 'with flags or --from-file',
      });
    }
    const run = await settingsRun({ ui, session, fields: [], parsed });
    await announce(run);
    const saved = await editAndSave(run);
    if (saved === null) {
      ui.notice('No changes.');
      return undefined;
    }
    return printResult(run, savedView, saved);
  },
};

/** Null if the user changed nothing. */
async function editAndSave(run: Run): Promise<Result | null> {
  const { ui } = run;
  const base = await readSettings(run);
  const { result, discard } = await editUntilUsed(ui, stringify(clientFields(base.document)), {
    fileName: 'settings.yaml',
    withNote: (text, problem) => header(problem && describeRefusal(problem)) + text,
    keepsNote: true,
    // Comments further down belong to the user.
    withoutNote: (text) => text.replaceAll('\r\n', '\n').replace(/^(#[^\n]*\n)+\n?/, ''),
    async use(text) {
      const document = await parseObject(text, null, { syntax: 'YAML', linesAbove: linesAboveText });
      refuseEmptyKeys(document, saveSettings.body, null);
      const next = document.value;
      checkBody(saveSettings, [], next);
      refuseMistypedSettings(next, base.document);
      if (isDeepStrictEqual(next, clientFields(base.document))) return null;
      const ifMoved = [
        { say: 'your text is kept, see above' },
        { run: ['settings', 'edit'], rest: 'again to edit the current settings' },
      ];
      return (await prepareSave(run, base, next, ifMoved)).send();
    },
    command: ['settings', 'save', '--from-file'],
  });
  discard();
  return result;
}

function header(problem: string | null): string {
  const lines = [
    ...(problem === null ? [] : ['Not saved:', ...problem.split('\n'), '']),
    'Operations settings. Save and close the editor to apply them.',
    'A field whose line you remove is reset; an empty file cancels.',
  ];
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n`;
}

/** In the file that the editor opens again, with a reason of one line. */
const linesAboveText = header('reason').split('\n').length - 1;
