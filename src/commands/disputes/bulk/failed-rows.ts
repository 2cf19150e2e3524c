import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { ItemResult } from '../../../cli/batch/item-result.ts';
import type { BatchEnd } from '../../../cli/batch/run-batch.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Step } from '../../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { openFile, outputFileOption } from '../../../cli/output/output-file.ts';
import type { DecisionRow, DecisionsFile } from './decisions-file.ts';

/** The file beside `--output-file` for the rows that failed, or null without that flag. */
export function failedRowsFile(parsed: ParsedCommand): string | null {
  const outputFile = optionValue(parsed, outputFileOption.flag);
  return outputFile === undefined ? null : `${outputFile.replace(/\.json$/i, '')}.failed.csv`;
}

/** Columns that are put before those of the file. They are not sent. */
const addedColumns = ['line', 'reason'];

/**
 * Writes the rows that failed as a CSV file beside `--output-file`, as they were, each with its line and why it failed. Returns
 * what to do about them, if there are any. They are corrected in the file of all rows, so that its results stay in one file.
 */
export function writeFailedRows(
  { io }: Session,
  parsed: ParsedCommand,
  { name, titles }: Pick<DecisionsFile, 'name' | 'titles'>,
  { ended, stop }: BatchEnd<DecisionRow>,
): readonly Step[] | undefined {
  const failed = ended.filter(({ result }) => result.outcome === 'failed');
  const file = failedRowsFile(parsed);
  if (file === null || failed.length === 0) return undefined;
  // Only of a file that was written here: others may have a column "reason" of their own.
  const isOurs = addedColumns.every((column, index) => titles[index] === column);
  const withoutAdded = (cells: readonly string[]) => cells.slice(isOurs ? addedColumns.length : 0);
  const lines = failed.map(({ item: { line, cells }, result }) => [
    // The line of the first file, if this one was written for another.
    (isOurs ? cells[0] : undefined) ?? String(line),
    reasonCell(result),
    ...withoutAdded(cells),
  ]);
  const rows = [[...addedColumns, ...withoutAdded(titles)], ...lines];
  const text = rows.map((cells) => cells.map(quote).join(',')).join('\n');
  const write = openFile(io, file);
  // Somebody may have corrected rows in it.
  const earlier = path.resolve(io.cwd, file);
  const isOther = existsSync(earlier) && readFileSync(earlier, 'utf8') !== `${text}\n`;
  if (isOther) renameSync(earlier, `${earlier}~`);
  write(text);
  const kept = isOther ? [{ say: `the earlier ${file} is now ${file}~` }] : [];
  if (stop !== null) return [{ say: `the rows that failed so far are in ${file}` }, ...kept];
  return [
    { say: `correct or remove these rows in ${name}` },
    { say: `${file} has these rows, each with its reason` },
    ...kept,
  ];
}

/** A text from the service must not become a formula in a spreadsheet. */
function reasonCell({ message }: ItemResult): string {
  return printableInOneLine(message).replace(/^(?=[=+\-@])/, "'");
}

function quote(cell: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
