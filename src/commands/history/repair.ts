import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Context } from '../../cli/command/context.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { noticeDone } from '../../cli/operation/result/print-result.ts';
import type { RepairedFile, SalvagedRecord } from '../../history/history.ts';

export const command: CommandDefinition = {
  description: `Move damaged records aside and print what can still be read of them. While a record is damaged, commands
that change something stop before they send: without the record, a request could be sent twice.`,
  examples: ['history repair', 'history repair --json'],
  async run(context) {
    const repaired = await (await context.history()).repair();
    if (repaired.length > 0) {
      noticeDone(context, `Moved ${repaired.length} damaged record${repaired.length === 1 ? '' : 's'} aside`);
    }
    if (context.flags.json) printJson(context, repaired);
    else if (repaired.length === 0) context.notice('No damaged records.');
    else for (const file of repaired) report(context, file);
  },
};

function report(context: Context, { file, movedTo, message, lost }: RepairedFile): void {
  context.notice(`${printable(file)} ${printable(message)}.`);
  context.notice(`Moved to ${printable(movedTo)}.`);
  for (const record of lost) context.print(describe(record));
  if (lost.length > 0) {
    context.notice('Check whether these changes are in the store before you send them again.');
  }
}

function describe({ id, operation, createdAt, storeId, idempotencyKey, state }: SalvagedRecord): string {
  const named = { store: storeId, key: idempotencyKey, state };
  const parts = [
    operation,
    createdAt,
    ...Object.entries(named).map(([name, value]) => (value === null ? null : `${name} ${value}`)),
  ].filter((part) => part !== null);
  return [id ?? 'unknown id', ...(parts.length === 0 ? ['nothing else could be read'] : parts)]
    .map(printable)
    .join('  ');
}
