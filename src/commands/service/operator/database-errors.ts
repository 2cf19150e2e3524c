import { describeSystemError, errorCode } from '../../../base/system-error.ts';
import { CliError, invalidFields, localStateError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import {
  DatabaseSetupError,
  ForeignDatabaseError,
  faultOf,
  isPostgresLocation,
  NewerDatabaseError,
  ServiceError,
  StorageBusyError,
  UnknownCommitError,
} from '../../../service/index.ts';

export const connectionHint = 'for example postgres://USER@HOST/DATABASE; set the password in PGPASSWORD';

/** Why a database could not be opened, for the caller to throw. `name` is its location without a password. */
export function explainOpening(error: unknown, location: string, name: string): CliError {
  const what = `cannot open the database ${name}: ${describeDatabaseError(error)}`;
  return localStateError('database_unusable', what, adviceOn(error, location));
}

/**
 * Why work on a database failed, for the caller to throw: the database itself, or a rule of the service, in its own words. Then `hint`
 * says what to do, and `flags` maps fields to the flags that set them. Returns any other error unchanged.
 */
export function explainWork(
  error: unknown,
  location: string,
  hint: string,
  flags: Readonly<Record<string, string>>,
): unknown {
  if (error instanceof UnknownCommitError) {
    const advice = 'look whether it is there before you run the command again';
    return localStateError('database_unusable', `${error.message}: the change may have been made`, advice);
  }
  if (error instanceof StorageBusyError) {
    return localStateError('database_unusable', describeDatabaseError(error), adviceOn(error, location));
  }
  return error instanceof ServiceError ? describeRefusal(error, hint, flags) : error;
}

function describeDatabaseError(error: unknown): string {
  if (error instanceof StorageBusyError && error.cause !== undefined)
    return `${error.message} (${describeDatabaseError(error.cause)})`;
  // The engines say it in words. Files and networks have a code.
  return error instanceof Error && !/^E[A-Z]/.test(errorCode(error))
    ? error.message
    : describeSystemError(error);
}

/** What to do about a database that fails. */
function adviceOn(error: unknown, location: string): string {
  if (error instanceof NewerDatabaseError) return 'update storectl, or choose another database';
  if (error instanceof ForeignDatabaseError) return 'choose another file; this one was not changed';
  if (error instanceof DatabaseSetupError) return error.advice ?? connectionHint;
  // PostgreSQL timed out waiting for a lock (lock_not_available), or found a deadlock (deadlock_detected).
  const isAboutLocks = error instanceof StorageBusyError && /^(55P03|40P01)$/.test(errorCode(error.cause));
  if (isAboutLocks) return 'wait until the other process is done, then try again';
  if (error instanceof StorageBusyError && error.advice !== undefined) return error.advice;
  const isPostgres = isPostgresLocation(location);
  switch (faultOf(error)) {
    case 'full':
      return 'free some space on its disk';
    case 'failing':
      return 'check its disk: it may be full, or broken';
    case 'damaged':
      return isPostgres
        ? 'restore the database'
        : 'choose another file with --database, or restore a copy with `storectl service restore`';
    case 'readOnly':
      if (isPostgres) return 'connect to the primary server: this one accepts no changes';
  }
  return isPostgres
    ? 'check the URL, and that PostgreSQL is running there; the password can be set in PGPASSWORD'
    : 'choose another file with --database, or check its permissions';
}

const exits: Readonly<Record<string, 5 | 6 | 7>> = {
  not_found: exitCodes.notFound,
  state_conflict: exitCodes.conflict,
  duplicate: exitCodes.conflict,
  slug_taken: exitCodes.conflict,
};

function describeRefusal(
  { code, message, fields }: ServiceError,
  hint: string,
  flags: Readonly<Record<string, string>>,
): CliError {
  if (code === 'validation_failed') {
    const wrong = fields.map(({ pointer, detail }) => {
      const field = pointer.slice(1);
      return { field, flag: flags[field] ?? null, detail };
    });
    return invalidFields(wrong, hint);
  }
  const advice =
    code === 'slug_taken' && flags.slug !== undefined ? `choose another slug with ${flags.slug}` : hint;
  return new CliError({
    code,
    exitCode: exits[code] ?? exitCodes.rejected,
    what: message,
    next: [{ say: advice }],
  });
}
