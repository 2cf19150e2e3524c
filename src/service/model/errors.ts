import type { ErrorCode } from '../../contract/problem.ts';

/** What is wrong with one field of a request body. */
export interface InvalidField {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly code: string;
  /** For people; completes "The field …". */
  readonly detail: string;
}

/** Why a database cannot save or read at all: no change of any store will succeed before somebody does something. */
export type Fault = 'full' | 'failing' | 'readOnly' | 'damaged';

/** A refusal that is sent to the client. The transaction of the request is rolled back. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly fields: readonly InvalidField[];
  /** Sent with the refusal. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is in the way, of the same store. */
  readonly existing: Readonly<Record<string, unknown>> | undefined;
  /** Set if no change of any store can succeed. */
  readonly fault: Fault | null;

  /** `detail`, without a full stop, is sent to the client, so it must not mention data of another store. */
  constructor(
    code: ErrorCode,
    detail: string,
    extra: Partial<Pick<ServiceError, 'fields' | 'headers' | 'existing' | 'fault'>> = {},
  ) {
    super(detail);
    this.code = code;
    this.fields = extra.fields ?? [];
    this.headers = extra.headers ?? {};
    this.existing = extra.existing;
    this.fault = extra.fault ?? null;
  }
}

/** The response is the same for an object of another store and for one that does not exist. */
export function notFound(what: string, id: string): ServiceError {
  return new ServiceError('not_found', `${what} ${id.slice(0, 100)} not found`);
}

/** The same request may succeed in a second. */
export function busy(detail: string, fault: Fault | null = null): ServiceError {
  return new ServiceError('busy', detail, { headers: { 'Retry-After': '1' }, fault });
}

/** A refusal of one field. */
export function invalidField(pointer: string, code: string, detail: string): ServiceError {
  return validationFailed([{ pointer, code, detail }]);
}

export function validationFailed(fields: readonly InvalidField[]): ServiceError {
  const count = fields.length === 1 ? '1 field is' : `${fields.length} fields are`;
  return new ServiceError('validation_failed', `${count} invalid`, { fields });
}

/** For the log, with causes: the reason of a StorageBusyError is often a full disk. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\nCaused by ${describeError(error.cause)}`;
}
