import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { recordChoice } from '../../cli/output/record-summary.ts';
import { findUnusable, type RepairedLog, repairLogs } from '../../history/journal/repair.ts';
import { isInDoubt } from '../../history/record/history-record.ts';

export const command: CommandDefinition = {
  description: `Repair damaged logs of the history: a copy is set aside, and what can still be read is kept. While a log is
damaged, changes that have to read it stop before they send anything.`,
  details: `A change whose outcome is lost is open afterwards; one whose request is lost stands for every command of its operation
until you mark it.`,
  examples: ['history repair', 'history repair --json'],
  async run({ ui, session }) {
    const { journal } = await session.history();
    const repaired = await repairLogs(journal);
    if (repaired.length > 0)
      printSuccess(ui, `Repaired ${repaired.length === 1 ? '1 log' : `${repaired.length} logs`}`);
    if (ui.json) printJson(ui, repaired);
    else for (const log of repaired) report(ui, log);
    // Logs that cannot be read are not damaged, but changes that read them are not sent either.
    for (const problem of findUnusable(journal)) throw problem;
    if (!ui.json && repaired.length === 0) ui.notice('Nothing is damaged.');
  },
};

function report(ui: Ui, { file, message, copy, records }: RepairedLog): void {
  ui.notice(line`${file} ${message}.`);
  ui.notice(line`A copy is in ${copy}.`);
  for (const record of records) ui.print(line`${recordChoice(record).name}`);
  if (records.some(isInDoubt)) ui.notice(phrase`Run ${toRun('resume')} to finish what is open.`);
}
