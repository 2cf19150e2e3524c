import { existsSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '../../../base/shell-word.ts';
import { describeSystemError, errorCode } from '../../../base/system-error.ts';
import type { Session } from '../../../cli/command/session.ts';
import { stateDirectory } from '../../../cli/config/directories.ts';
import { CliError, invalidFields, localStateError, usageError } from '../../../cli/core/errors.ts';
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

export interface WithStorageOptions {
  readonly mayBeNew?: boolean;
  readonly hint?: string;
  readonly flags?: Readonly<Record<string, string>>;
}

/**
 * Opens the database of `--database`, or the default one, calls `work` and closes it again. `work` gets its name, without a
 * password. A file is created only if `mayBeNew`, and a folder never: one that is missing is most likely mistyped. If the
 * service refuses the work, the error says what to do (`hint`) and names fields by the flags that set them.
 */
export async function withStorage<Result>(
  session: Session,
  parsed: ParsedCommand,
  work: (storage: Storage, name: string) => Promise<Result>,
  { mayBeNew = false, hint = 'check --store and --database', flags = {} }: WithStorageOptions = {},
): Promise<Result> {
  const { location, name } = readLocation(session, parsed);
  const poolSize = readWholeNumber(session, parsed, '--pool-size', { min: 2, max: 1_000, fallback: 10 });
  if (!isPostgresLocation(location)) refuseMissing(session, parsed, location, mayBeNew);
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

function refuseMissing(session: Session, parsed: ParsedCommand, location: string, mayBeNew: boolean): void {
  const folder = path.dirname(location);
  const isDefault = readSetting(session, parsed, '--database').value === undefined;
  if (mayBeNew && !isDefault && !existsSync(folder)) {
    const hint = 'create it, or choose another file with --database';
    throw localStateError('database_missing', `folder ${folder} does not exist`, hint);
  }
  if (mayBeNew || existsSync(location)) return;
  const create = serviceCommand(session, parsed, 'stores create');
  throw localStateError(
    'database_missing',
    `database ${location} does not exist`,
    `run \`${create}\` to create it, or choose another with --database`,
  );
}

/**
 * Where the database is, and its name without a password. Throws a usage error for a mistyped URL: it would become the name of
 * a file, with the password in it.
 */
export function readLocation(session: Session, parsed: ParsedCommand): { location: string; name: string } {
  const { value } = readSetting(session, parsed, '--database');
  if (value !== undefined && isPostgresLocation(value)) {
    try {
      return { location: value, name: parseConnectionString(value).name };
    } catch (error) {
      if (!(error instanceof DatabaseSetupError)) throw error;
      throw usageError(error.message, connectionHint, { code: 'invalid_database' });
    }
  }
  if (value !== undefined) refuseImplausible(value);
  const byDefault = path.join(stateDirectory(session.io), 'service', 'service.db');
  const location = path.resolve(session.io.cwd, value ?? byDefault);
  return { location, name: location };
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
    : `${command} --database ${shellWord(readLocation(session, parsed).name, session.io.process.platform)}`;
}

function describeDatabaseError(error: unknown): string {
  if (error instanceof StorageBusyError && error.cause !== undefined)
    return `${error.message} (${describeDatabaseError(error.cause)})`;
  // The engines say it in words. Files and networks have a code.
  return error instanceof Error && !/^E[A-Z]/.test(errorCode(error))
    ? error.message
    : describeSystemError(error);
}

function hintFor(error: unknown, location: string): string {
  const isPostgres = isPostgresLocation(location);
  if (error instanceof NewerDatabaseError) return 'update storectl, or choose another database';
  if (error instanceof ForeignDatabaseError) return 'choose another file; this one was not changed';
  if (error instanceof DatabaseSetupError) return error.advice ?? connectionHint;
  // PostgreSQL timed out waiting for a lock (lock_not_available), or found a deadlock (deadlock_detected).
  const isAboutLocks = error instanceof StorageBusyError && /^(55P03|40P01)$/.test(errorCode(error.cause));
  if (isAboutLocks) return 'wait until the other process is done, then try again';
  if (error instanceof StorageBusyError && error.advice !== undefined) return error.advice;
  return isPostgres
    ? 'check the URL, and that PostgreSQL is running there; the password can be set in PGPASSWORD'
    : 'choose another file with --database, or check its permissions';
}

function refuseImplausible(location: string): void {
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

const connectionHint = 'for example postgres://USER@HOST/DATABASE; set the password in PGPASSWORD';

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
