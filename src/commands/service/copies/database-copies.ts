import path from 'node:path';
import { describeSystemError, errorCode } from '../../../base/system-error.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { CliError, localStateError, usageError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { argumentValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { printSuccess } from '../../../cli/operation/result/print-result.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';
import { askNeededOne } from '../../../cli/prompts/ask-or-fail.ts';
import {
  type CopySummary,
  ForeignDatabaseError,
  faultOf,
  isPostgresLocation,
  NewerThanCopyError,
  StorageBusyError,
} from '../../../service/index.ts';
import { readLocation } from '../operator/database-options.ts';

/** The file of `--database`. Throws exit 2 for PostgreSQL, which has its own programs for that. */
export function fileOfDatabase(session: Session, parsed: ParsedCommand, program: string): string {
  const { location } = readLocation(session, parsed);
  if (!isPostgresLocation(location)) return location;
  throw usageError(`this command is for the embedded database`, `use ${program}, as docs/operating.md says`);
}

/** The file that the command line names, or that a terminal is asked for. Throws exit 3 elsewhere. */
export async function fileOfCopy(ui: Ui, parsed: ParsedCommand, description: string, question: string) {
  const missing = { field: 'copy', give: '<copy>', description, question };
  return argumentValue(parsed, 'copy') ?? (await askNeededOne(ui, missing, { first: 'flags' }));
}

/** Calls `work` with the database and the copy, and says in words why it failed. */
export async function onFiles<Result>(
  { io }: Session,
  given: string,
  database: string,
  work: (database: string, copy: string) => Promise<Result>,
): Promise<Result & { readonly file: string }> {
  const file = path.resolve(io.cwd, given);
  if (file === database)
    throw usageError('the copy and the database are the same file', 'choose another file');
  try {
    return { ...(await work(database, file)), file };
  } catch (error) {
    throw explainCopyError(error, file, database);
  }
}

function explainCopyError(error: unknown, file: string, database: string): unknown {
  if (error instanceof NewerThanCopyError) {
    return new CliError({
      code: 'newer_database',
      exitCode: exitCodes.conflict,
      what: `${database} is newer than the copy: ${error.message}`,
      next: [
        {
          say: `move it away with the files beside it (${database}-wal, ${database}-shm), then restore again`,
        },
      ],
    });
  }
  if (error instanceof StorageBusyError)
    return localStateError(
      'database_in_use',
      `${database}: ${error.message}`,
      'stop the service, then try again',
    );
  if (error instanceof ForeignDatabaseError)
    return localStateError(
      'database_unusable',
      `${file} or ${database}: ${error.message}`,
      'check both files',
    );
  if (!(error instanceof Error)) return error;
  const code = errorCode(error);
  if (code === 'ENOENT')
    return localStateError('database_missing', error.message, 'check the names of both files');
  if (code === 'EEXIST') return usageError(error.message, 'choose another file, or move it away');
  const reason = /^E[A-Z]/.test(code) ? describeSystemError(error) : error.message;
  return localStateError(
    'copy_failed',
    `cannot copy the database: ${reason}`,
    faultOf(error) === 'full' || code === 'ENOSPC'
      ? 'free some space, or choose another disk'
      : `check ${file} and ${database}, and their disks`,
  );
}

/** Says what was done and what is in the copy. */
export function printCopy(ui: Ui, done: string, copy: CopySummary & { readonly file: string }): void {
  const { stores, newestAt, file } = copy;
  printSuccess(ui, done);
  if (ui.json) printJson(ui, copy);
  else if (ui.quiet) ui.print(line`${file}`);
  else {
    const newest = newestAt === null ? 'no changes' : `changes until ${formatMinute(newestAt)}`;
    ui.notice(line`It was checked: ${stores} ${stores === 1 ? 'store' : 'stores'}, ${newest}.`);
  }
}
