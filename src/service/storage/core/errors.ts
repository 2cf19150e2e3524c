/** The database could not do it now. Nothing was changed, and it may be tried again. */
export class StorageBusyError extends Error {
  override readonly name = 'StorageBusyError';
}

/** The database went away in the middle of a commit: the changes are there or they are not. */
export class UnknownCommitError extends Error {
  override readonly name = 'UnknownCommitError';
}

/** A later version of this program has changed the database, and this one does not know how. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** The file is a database of another program, whose tables are not to be mixed with those of the service. */
export class ForeignDatabaseError extends Error {
  override readonly name = 'ForeignDatabaseError';
}

/** The database cannot be used as it is named or set up. The message says what to change, and holds no password. */
export class DatabaseSetupError extends Error {
  override readonly name = 'DatabaseSetupError';
}
