/** Why a request is refused. The codes are stable: clients may act on them. */
export type ErrorCode =
  | 'malformed_request'
  | 'malformed_json'
  | 'missing_key'
  | 'invalid_key'
  | 'insufficient_scope'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'request_timeout'
  | 'idempotency_in_progress'
  | 'state_conflict'
  | 'slug_taken'
  | 'restore_in_progress'
  | 'duplicate'
  | 'stale'
  | 'expectation_failed'
  | 'validation_failed'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'headers_too_large'
  | 'busy'
  | 'internal_error';

/** What is wrong with one field of a request body. */
export interface FieldError {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  readonly code: string;
  /** For people; completes "The field …". */
  readonly detail: string;
}

/** A refusal that the client is told about. Nothing of the request's transaction is kept. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly fields: readonly FieldError[];
  /** Header fields that go with the refusal. */
  readonly headers: Readonly<Record<string, string>>;

  /** `detail` is sent to the client: it must hold nothing of another store. */
  constructor(
    code: ErrorCode,
    detail: string,
    extra: { fields?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.code = code;
    this.fields = extra.fields ?? [];
    this.headers = extra.headers ?? {};
  }
}

/** The same for an object that is another store's and one that is nobody's. */
export function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such object in this store.');
}

/** A refusal for fields that are each well-formed, but not what the store has. */
export function invalidField(pointer: string, code: string, detail: string): ServiceError {
  return invalidFields([{ pointer, code, detail }]);
}

export function invalidFields(fields: readonly FieldError[]): ServiceError {
  const count = fields.length === 1 ? 'One field is' : `${fields.length} fields are`;
  return new ServiceError('validation_failed', `${count} not valid.`, { fields });
}

/** For the log: a full disk, say, is only the cause of the error that the client is told about. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.stack ?? error.message;
  return error.cause === undefined ? text : `${text}\nCaused by ${describeError(error.cause)}`;
}
