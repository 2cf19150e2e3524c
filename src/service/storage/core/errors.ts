/** The database is busy or unavailable. Nothing was changed, and the caller may try again. */
export class StorageBusyError extends Error {
  override readonly name = 'StorageBusyError';
  /** What the person at the machine can do, where that is known. */
  readonly advice: string | undefined;

  constructor(message: string, options?: ErrorOptions, advice?: string) {
    super(message, options);
    this.advice = advice;
  }
}

/** The connection broke during a commit: the changes may or may not be stored. */
export class UnknownCommitError extends Error {
  override readonly name = 'UnknownCommitError';
}

/** A later version of this program has changed the database so that this one cannot use it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** The file is a database of another program. */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

/** The location or the setup of the database is wrong. The message says what to change and contains no password. */
export class DatabaseSetupError extends Error {
  override readonly name = 'DatabaseSetupError';
  /** What else can be done, where that does not depend on the database. */
  readonly advice: string | undefined;

  constructor(message: string, options?: ErrorOptions, advice?: string) {
    super(message, options);
    this.advice = advice;
  }
}
