import { existsSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../base/error-code.ts';
import type { Session } from '../../../cli/command/session.ts';
import { stateDirectory } from '../../../cli/config/directories.ts';
import {
  CliError,
  describeSystemError,
  invalidFields,
  localStateError,
  usageError,
} from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import {
  DatabaseSetupError,
  ForeignDatabaseError,
  isPostgresLocation,
  NewerDatabaseError,
  openStorage,
  parseConnectionString,
  ServiceError,
  type Storage,
  StorageBusyError,
} from '../../../service/index.ts';
import { readSetting, readWholeNumber } from './service-settings.ts';

export const databaseOption: OptionSpec = {
  flag: '--database',
  value: 'LOCATION',
  description: 'File, or PostgreSQL connection string (default: service.db in the state directory)',
};

export interface StorageOptions {
  readonly mayBeNew?: boolean;
  readonly hint?: string;
  readonly flags?: Readonly<Record<string, string>>;
}

/**
 * Opens the database of `--database`, or the default one, calls `work` and closes it again. `work` gets its location
 * without a password. A file is created only if `mayBeNew`: otherwise a missing file is most likely a mistyped name. If
 * the service refuses the work, the error says what to do (`hint`) and names fields by the flags that set them.
 */
export async function withStorage<Result>(
  session: Session,
  parsed: ParsedCommand,
  work: (storage: Storage, location: string) => Promise<Result>,
  { mayBeNew = false, hint = 'check --store and --database', flags = {} }: StorageOptions = {},
): Promise<Result> {
  const { value: given } = readSetting(session, parsed, '--database');
  const poolSize = readWholeNumber(session, parsed, '--pool-size', { min: 2, max: 1_000, fallback: 10 });
  if (given !== undefined) refuseImplausible(given);
  const location =
    given !== undefined && isPostgresLocation(given)
      ? given
      : path.resolve(session.io.cwd, given ?? path.join(stateDirectory(session.io), 'service', 'service.db'));
  const name = withoutSecrets(location);
  if (!mayBeNew && !isPostgresLocation(location) && !existsSync(location)) {
    const create = serviceCommand(session, parsed, 'stores create');
    throw localStateError(
      'database_missing',
      `database ${name} does not exist`,
      `run \`${create}\` to create it, or choose another with --database`,
    );
  }
  let storage: Storage;
  try {
    storage = await openStorage(location, { poolSize });
  } catch (error) {
    throw localStateError(
      'database_unusable',
      `cannot open the database ${name}: ${describeDatabaseError(error)}`,
      hintFor(error, location),
    );
  }
  try {
    return await work(storage, name);
  } catch (error) {
    throw describeRefusal(error, hint, flags);
  } finally {
    await storage.close();
  }
}

/**
 * A command of `storectl service` for the user to type: with the `--database` of this one, without a password. What an
 * environment variable sets need not be repeated.
 */
export function serviceCommand(session: Session, parsed: ParsedCommand, words: string): string {
  const { name, value } = readSetting(session, parsed, '--database');
  const command = `storectl service ${words}`;
  return value === undefined || name !== '--database'
    ? command
    : `${command} --database ${quoted(withoutPassword(value))}`;
}

/** A word as it is typed in a shell. */
function quoted(word: string): string {
  return /^[\w./:@%+=,~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function withoutPassword(location: string): string {
  if (!isPostgresLocation(location) || !URL.canParse(location)) return location;
  const url = new URL(location);
  url.password = '';
  return url.href;
}

/** Messages for the error codes of the engines that a user can act on. */
const engineErrors: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'the file is not a database',
  SQLITE_CORRUPT: 'the file is damaged',
  SQLITE_CANTOPEN: 'the file cannot be opened',
  SQLITE_READONLY: 'no permission to write the file',
  SQLITE_FULL: 'the disk is full',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed, try again',
  ETIMEDOUT: 'connection timed out',
  '28P01': 'the password is wrong',
  '28000': 'this role is not allowed to connect',
  '3D000': 'the database does not exist',
  '42501': 'this role is not allowed to create tables',
  '53300': 'too many connections',
  '25006': 'it is read-only (a standby?)',
  '57P03': 'it is starting up or shutting down',
};

function describeDatabaseError(error: unknown): string {
  if (error instanceof NewerDatabaseError || error instanceof ForeignDatabaseError) return error.message;
  if (error instanceof StorageBusyError) {
    return error.cause === undefined
      ? error.message
      : `${error.message} (${describeDatabaseError(error.cause)})`;
  }
  const code = errorCode(error);
  // Other codes are cryptic; the messages of the engines are not.
  if (error instanceof Error && !/^E[A-Z]/.test(code)) return engineErrors[code] ?? error.message;
  return engineErrors[code] ?? describeSystemError(error);
}

function hintFor(error: unknown, location: string): string {
  if (error instanceof NewerDatabaseError) return 'update storectl, or choose another database';
  if (error instanceof ForeignDatabaseError) return 'choose another file; this one was not changed';
  if (error instanceof DatabaseSetupError && !isPostgresLocation(location)) {
    return 'reinstall storectl without --omit=optional, or use --database postgres://…';
  }
  if (error instanceof DatabaseSetupError) return 'for example postgres://USER@HOST/DATABASE';
  if (error instanceof StorageBusyError && (!isPostgresLocation(location) || isAboutLocks(error.cause))) {
    return 'wait until the other process is done, then try again';
  }
  if (isPostgresLocation(location)) {
    return 'check the URL, and that PostgreSQL is running there; the password can be set in PGPASSWORD';
  }
  return 'choose another file with --database, or check its permissions';
}

/** PostgreSQL timed out waiting for a lock (lock_not_available), or found a deadlock (deadlock_detected). */
function isAboutLocks(cause: unknown): boolean {
  return ['55P03', '40P01'].includes(errorCode(cause));
}

/** Refuses a mistyped URL: it would become the name of a file, with the password in it. */
function refuseImplausible(location: string): void {
  if (isPostgresLocation(location)) {
    checkConnectionString(location);
    return;
  }
  // A single letter is a Windows drive.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(location) ?? [];
  const isImplausible =
    /[\p{Cc}]|^\s*$|^\s*\w+\s*=|:\/\/|^[^/\\]+:\d*(?:\/|$)|:[^/\\]*@/u.test(location) || scheme !== undefined;
  if (!isImplausible) return;
  throw usageError(
    `--database must be a file or the connection string of a PostgreSQL database${scheme ? ` (got "${scheme}:…")` : ''}`,
    connectionHint,
    { code: 'invalid_database' },
  );
}

const connectionHint =
  'for example postgres://USER@HOST/DATABASE or "host=HOST dbname=DATABASE"; set the password in PGPASSWORD';

function checkConnectionString(location: string): void {
  try {
    parseConnectionString(location);
  } catch (error) {
    if (!(error instanceof DatabaseSetupError)) throw error;
    throw usageError(error.message, connectionHint, { code: 'invalid_database' });
  }
}

/** Drops the password. */
function withoutSecrets(location: string): string {
  return isPostgresLocation(location) ? parseConnectionString(location).name : location;
}

const exits: Readonly<Record<string, 5 | 6 | 7>> = {
  not_found: exitCodes.notFound,
  state_conflict: exitCodes.conflict,
  duplicate: exitCodes.conflict,
  slug_taken: exitCodes.conflict,
};

/**
 * Turns a ServiceError into a CliError with the service's own words, for the caller to throw. Returns any other error
 * unchanged. `flags` maps fields to the flags that set them.
 */
function describeRefusal(error: unknown, hint: string, flags: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message } = error;
  if (code === 'validation_failed') {
    const fields = error.fields.map(({ pointer, detail }) => {
      const field = pointer.slice(1);
      return { field, flag: flags[field] ?? null, detail };
    });
    return invalidFields(fields, hint);
  }
  const advice =
    code === 'slug_taken' && flags.slug !== undefined ? `choose another slug with ${flags.slug}` : hint;
  const exitCode = exits[code] ?? exitCodes.rejected;
  return new CliError({ code, exitCode, what: message, next: [{ say: advice }] });
}
