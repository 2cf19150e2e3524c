import type { ItemResult } from '../../../cli/batch/item-result.ts';
import type { Session } from '../../../cli/command/session.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { openFile, outputFileOption } from '../../../cli/output/output-file.ts';
import type { DecisionRow } from './decisions-file.ts';

/** The file beside `--output-file` for the rows that failed, or null without that flag. */
export function failedRowsFile(parsed: ParsedCommand): string | null {
  const outputFile = optionValue(parsed, outputFileOption.flag);
  return outputFile === undefined ? null : `${outputFile.replace(/\.json$/i, '')}.failed.csv`;
}

/**
 * Writes the rows that failed as a CSV file beside `--output-file`, to be fixed and given to `--from`. Returns where they are,
 * if there are any.
 */
export function writeFailedRows(
  { io }: Session,
  parsed: ParsedCommand,
  ended: readonly { readonly row: DecisionRow; readonly result: ItemResult }[],
): string | undefined {
  const failed = ended.filter(({ result }) => result.outcome === 'failed');
  const file = failedRowsFile(parsed);
  if (file === null || failed.length === 0) return undefined;
  const lines = failed.map(({ row, result }) =>
    [row.disputeId, row.status, row.resolution, String(row.line), reasonOf(result)].map(quote).join(','),
  );
  openFile(io, file)([['disputeId', 'status', 'resolution', ...addedColumns].join(','), ...lines].join('\n'));
  return `they are in ${file}: fix them there, and give that file to --from`;
}

/** Columns of the file that are not sent. */
export const addedColumns = ['line', 'reason'];

/** A text from the service must not become a formula in a spreadsheet. */
function reasonOf({ message }: ItemResult): string {
  return printableInOneLine(message).replace(/^(?=[=+\-@])/, "'");
}

function quote(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
