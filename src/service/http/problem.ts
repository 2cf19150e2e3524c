import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { StorageBusyError, UnknownCommitError } from '../storage/core/errors.ts';

const problems: Record<ErrorCode, { readonly status: number; readonly title: string }> = {
  malformed_request: { status: 400, title: 'Invalid HTTP request' },
  malformed_json: { status: 400, title: 'Invalid JSON body' },
  missing_key: { status: 401, title: 'API key required' },
  invalid_key: { status: 401, title: 'Invalid API key' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  idempotency_in_progress: { status: 409, title: 'A request with this idempotency key is running' },
  state_conflict: { status: 409, title: 'Conflict with the current state' },
  slug_taken: { status: 409, title: 'Slug already taken' },
  restore_in_progress: { status: 409, title: 'The store is being restored' },
  duplicate: { status: 409, title: 'Already exists' },
  stale: { status: 412, title: 'Changed since it was read' },
  too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  expectation_failed: { status: 417, title: 'Unsupported expectation' },
  validation_failed: { status: 422, title: 'Invalid request' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  busy: { status: 503, title: 'Service busy' },
};

/** An error answer. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Problem details (RFC 9457). */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer to an error. Unexpected errors get one without details, which are in the log. */
export function toProblem(error: unknown, requestId: string): Problem {
  const { code, message, fields, headers } = toServiceError(error);
  const { status, title } = problems[code];
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: {
      type: `urn:storectl:problem:${code}`,
      title,
      status,
      detail: message,
      code,
      requestId,
      ...(fields.length > 0 && { errors: fields }),
    },
  };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StorageBusyError) {
    return new ServiceError('busy', 'Nothing was changed. Try again.', { headers: { 'Retry-After': '1' } });
  }
  if (error instanceof UnknownCommitError) {
    const detail =
      'The connection to the database broke during the commit. The change may or may not have been made.';
    return new ServiceError('internal_error', detail);
  }
  return new ServiceError(
    'internal_error',
    'Nothing was changed. The log of the service has details under the request id.',
  );
}
