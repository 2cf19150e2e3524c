import { existsSync } from 'node:fs';
import path from 'node:path';
import { shellWord } from '../../../base/shell-word.ts';
import type { Session } from '../../../cli/command/session.ts';
import { stateDirectory } from '../../../cli/config/directories.ts';
import { localStateError, usageError } from '../../../cli/core/errors.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import {
  DatabaseSetupError,
  isPostgresLocation,
  openStorage,
  parseConnectionString,
  type Storage,
} from '../../../service/index.ts';
import { connectionHint, explainOpening, explainWork } from './database-errors.ts';
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
    // With sudo they run as the user of the service, which says nothing about the person.
    storage = await openStorage(location, { poolSize, operator: session.io.env.SUDO_USER || undefined });
  } catch (error) {
    throw explainOpening(error, location, name);
  }
  try {
    return await work(storage, name);
  } catch (error) {
    throw explainWork(error, location, hint, flags);
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
