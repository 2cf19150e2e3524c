import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Context } from '../../cli/command/context.ts';
import { stateDirectory } from '../../cli/config/directories.ts';
import { CliError, describeSystemError, systemErrorCode, usageError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { OptionSpec } from '../../cli/core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import {
  DatabaseSetupError,
  ForeignDatabaseError,
  isPostgresUrl,
  NewerDatabaseError,
  openStorage,
  type Storage,
  StorageBusyError,
} from '../../service/index.ts';

export const databaseOption: OptionSpec = {
  flag: '--database',
  value: 'LOCATION',
  description: 'File, or postgres:// URL (default: service.db in the state folder)',
  group: 'Options:',
};

/**
 * Opens the database that the flag names, or the service's own, for as long as `work` takes. `work` is told its name
 * without a password. A file that is not there is made only where `mayBeNew`: elsewhere it is a mistyped name.
 */
export async function withStorage<Result>(
  context: Context,
  parsed: ParsedCommand,
  work: (storage: Storage, location: string) => Promise<Result>,
  { mayBeNew = false } = {},
): Promise<Result> {
  const given = optionValue(parsed, '--database');
  if (given !== undefined) refuseOddUrl(given);
  const location =
    given !== undefined && isPostgresUrl(given)
      ? given
      : path.resolve(context.io.cwd, given ?? path.join(stateDirectory(context.io), 'service', 'service.db'));
  const name = withoutSecrets(location);
  if (!mayBeNew && !isPostgresUrl(location) && !existsSync(location)) {
    throw new CliError({
      code: 'database_missing',
      exitCode: exitCodes.localState,
      message: `there is no database ${name}`,
      hint: '`storectl service create-store` and `storectl service start` make one; --database names another',
      outcome: 'not_sent',
    });
  }
  let storage: Storage;
  try {
    storage = await openStorage(location);
  } catch (error) {
    throw new CliError({
      code: 'database_unusable',
      exitCode: exitCodes.localState,
      message: `cannot open the database ${name}: ${describeDatabaseError(error)}`,
      hint: hintFor(error, location),
      outcome: 'not_sent',
    });
  }
  try {
    return await work(storage, name);
  } finally {
    await storage.close();
  }
}

/** What the engines call the errors that a person can do something about. */
const engineErrors: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'the file is no database',
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_CANTOPEN: 'the file cannot be opened',
  SQLITE_READONLY: 'this user may not write the file',
  SQLITE_FULL: 'the disk is full',
  ECONNREFUSED: 'nothing answers at this address',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'nothing answers at this address',
  '28P01': 'the password is wrong',
  '28000': 'this user may not connect',
  '3D000': 'there is no such database',
  '42501': 'this user may not create tables in it',
  '53300': 'it has no connection to spare',
  '57P03': 'it is starting up or shutting down',
};

function describeDatabaseError(error: unknown): string {
  if (error instanceof NewerDatabaseError || error instanceof ForeignDatabaseError) return error.message;
  if (error instanceof StorageBusyError) {
    return error.cause === undefined
      ? error.message
      : `${error.message} (${describeDatabaseError(error.cause)})`;
  }
  const code = systemErrorCode(error) ?? '';
  // The other codes of the engines say nothing to people; their messages do.
  if (error instanceof Error && !/^E[A-Z]/.test(code)) return engineErrors[code] ?? error.message;
  return engineErrors[code] ?? describeSystemError(error);
}

function hintFor(error: unknown, location: string): string {
  if (error instanceof NewerDatabaseError) return 'update storectl, or choose another database';
  if (error instanceof ForeignDatabaseError) return 'choose another file; nothing was changed in this one';
  if (error instanceof DatabaseSetupError && !isPostgresUrl(location)) {
    return 'npm leaves it out with --omit=optional; --database postgres://… does without it';
  }
  if (error instanceof DatabaseSetupError) return 'a URL reads postgres://USER@HOST/DATABASE';
  if (error instanceof StorageBusyError && (!isPostgresUrl(location) || isAboutLocks(error.cause))) {
    return 'wait until the other process is done, and try again';
  }
  if (isPostgresUrl(location)) {
    return 'check the URL, and that PostgreSQL runs there; PGPASSWORD in the environment may hold the password';
  }
  return 'choose another file with --database, or check its permissions';
}

/** PostgreSQL gave up waiting for a lock (lock_not_available), or broke a circle of them (deadlock_detected). */
function isAboutLocks(cause: unknown): boolean {
  return ['55P03', '40P01'].includes(systemErrorCode(cause) ?? '');
}

/** A mistyped URL must not become a file, whose name would hold the password. */
function refuseOddUrl(location: string): void {
  // One letter is a drive of Windows.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(location) ?? [];
  if (scheme === undefined || /^postgres(ql)?:\/\/[^/]/i.test(location)) return;
  throw usageError(
    `--database is neither a file nor a postgres:// URL that can be used (it begins with "${scheme}:")`,
    'give a file, or postgres://USER@HOST/NAME; the password may come from PGPASSWORD',
    { code: 'invalid_database' },
  );
}

/** A password may stand before the host or among the parameters. */
function withoutSecrets(location: string): string {
  if (!isPostgresUrl(location)) return location;
  if (!URL.canParse(location)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(location);
  return `${protocol}//${username && `${username}@`}${host}${pathname}`;
}
