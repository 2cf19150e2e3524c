import { type ErrorCode, ServiceError } from '../model/errors.ts';
import { StorageBusyError, UnknownCommitError } from '../storage/core/errors.ts';

const problems: Record<ErrorCode, { readonly status: number; readonly title: string }> = {
  malformed_request: { status: 400, title: 'The request is not acceptable HTTP' },
  malformed_json: { status: 400, title: 'The body is not acceptable JSON' },
  missing_key: { status: 401, title: 'An API key is needed' },
  invalid_key: { status: 401, title: 'The API key is not valid' },
  insufficient_scope: { status: 403, title: 'The API key does not allow this' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long to come in' },
  idempotency_in_progress: { status: 409, title: 'A request with this idempotency key is being worked on' },
  state_conflict: { status: 409, title: 'The state does not allow this' },
  slug_taken: { status: 409, title: 'The slug is taken' },
  restore_in_progress: { status: 409, title: 'The store is being restored' },
  duplicate: { status: 409, title: 'It exists already' },
  stale: { status: 412, title: 'It has changed in the meantime' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The header is too large' },
  internal_error: { status: 500, title: 'The service failed' },
  busy: { status: 503, title: 'The service is busy' },
};

/** An error answer, ready to be sent. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** RFC 9457, as `problemDetails` of the contract. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the client is told of an error: for one that is no refusal, only that the service failed. */
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
    const detail = 'The database went away at the last moment: the change may have been made, or not.';
    return new ServiceError('internal_error', detail);
  }
  return new ServiceError('internal_error', 'Nothing was changed. The log has more under the request id.');
}
