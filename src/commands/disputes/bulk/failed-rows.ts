import type { ItemResult } from '../../../cli/batch/item-result.ts';
import type { BatchEnd } from '../../../cli/batch/run-batch.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Step } from '../../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { openFile, outputFileOption } from '../../../cli/output/output-file.ts';
import { expectStatus } from '../dispute-status.ts';
import type { DecisionRow } from './decisions-file.ts';

/** The file beside `--output-file` for the rows that failed, or null without that flag. */
export function failedRowsFile(parsed: ParsedCommand): string | null {
  const outputFile = optionValue(parsed, outputFileOption.flag);
  return outputFile === undefined ? null : `${outputFile.replace(/\.json$/i, '')}.failed.csv`;
}

/** Columns that are put before those of the file. They are not sent. */
const addedColumns = ['line', 'reason'];

/**
 * Writes the rows that failed as a CSV file beside `--output-file`, as they were, each with its line and why it failed: to be
 * corrected and given to `--from`. Returns what to do with it, if there are any.
 */
export function writeFailedRows(
  { io }: Session,
  parsed: ParsedCommand,
  titles: readonly string[],
  { ended, stop }: BatchEnd<DecisionRow>,
): readonly Step[] | undefined {
  const failed = ended.filter(({ result }) => result.outcome === 'failed');
  const file = failedRowsFile(parsed);
  if (file === null || failed.length === 0) return undefined;
  const withoutAdded = (cells: readonly string[]) =>
    cells.filter((_, column) => !addedColumns.includes(titles[column] ?? ''));
  const lines = failed.map(({ item: { line, cells }, result }) => [
    // The line of the first file, if this one was written for another.
    cells[titles.indexOf('line')] ?? String(line),
    reasonOf(result),
    ...withoutAdded(cells),
  ]);
  const rows = [[...addedColumns, ...withoutAdded(titles)], ...lines];
  openFile(io, file)(rows.map((cells) => cells.map(quote).join(',')).join('\n'));
  // The same command writes the file again, so it is corrected after that.
  if (stop !== null) return [{ say: `the rows that failed so far are in ${file}` }];
  const expected = optionValue(parsed, expectStatus);
  const flags = [
    ...(expected === undefined ? [] : [expectStatus, expected]),
    ...[outputFileOption.flag, file.replace(/csv$/, 'json')],
  ];
  return [
    { say: `correct or remove the rows in ${file}` },
    { run: ['disputes', 'decide', '--from', file, ...flags] },
  ];
}

/** A text from the service must not become a formula in a spreadsheet. */
function reasonOf({ message }: ItemResult): string {
  return printableInOneLine(message).replace(/^(?=[=+\-@])/, "'");
}

function quote(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
