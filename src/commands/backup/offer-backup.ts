import { valueAt } from '../../base/json.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { send } from '../../cli/operation/send/send.ts';
import { agrees } from '../../cli/prompts/ask-or-fail.ts';
import { createBackup } from '../../contract/operations/backups.ts';

/**
 * For a change that cannot be undone, because the present values of the store are not known: says so, and offers a backup. Resolves with
 * the id of the backup, or undefined if the user wants none.
 */
export async function offerBackup(run: Run, what = 'This change'): Promise<string | undefined> {
  const { questions } = run;
  if (questions?.offeredBackup !== undefined) return questions.offeredBackup ?? undefined;
  const id = await askAndBackUp(run, what);
  // A user who corrects refused values reviews the change again. The backup is offered once.
  if (questions !== null) questions.offeredBackup = id ?? null;
  return id;
}

async function askAndBackUp(run: Run, what: string): Promise<string | undefined> {
  const { ui } = run;
  const noUndo = `${what} cannot be undone: this machine has not seen the current values.`;
  if (!ui.canAsk) {
    ui.notice(
      phrase`${noUndo} To be able to go back, run ${toRun('backup', 'create', '--sections', 'store')} first.`,
    );
    return undefined;
  }
  if (!(await agrees(ui, `${noUndo} Back up the store section first?`, true))) return undefined;
  const withoutOptions = { ...run.parsed, options: new Map() };
  const body = { label: 'Before changing the store', sections: ['store'] };
  const request = { operation: createBackup, parameters: {}, body };
  const { record, response } = await send({ ...run, request, fields: [], parsed: withoutOptions });
  const id = String(valueAt(response, ['id']) ?? record?.id);
  printSuccess(ui, `Created backup ${id} of the store section`);
  ui.notice(phrase`To go back, run ${toRun('backup', 'restore', id, '--sections', 'store')}.`);
  return id;
}
