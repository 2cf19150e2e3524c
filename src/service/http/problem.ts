import { type ErrorCode, problems } from '../../contract/problem.ts';
import { busy, ServiceError } from '../model/errors.ts';
import { faultOf } from '../storage/core/engine-errors.ts';
import { StorageBusyError, UnknownCommitError } from '../storage/core/errors.ts';

/** An error response. */
export interface ProblemResponse {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Problem details (RFC 9457) as JSON. */
  readonly body: string;
}

/** The response to an error. Unexpected errors get one without details, which are in the log. */
export function toProblem(error: unknown, requestId: string): ProblemResponse {
  const { code, message, fields, headers, existing } = toServiceError(error);
  const { status, title } = problems[code];
  return {
    code,
    status,
    headers: { 'Content-Type': 'application/problem+json', ...headers },
    body: JSON.stringify({
      type: `urn:storectl:problem:${code}`,
      title,
      status,
      detail: `${message}.`,
      code,
      requestId,
      ...(fields.length > 0 && { errors: fields }),
      ...(existing && { existing }),
    }),
  };
}

/** The refusal that an error leads to. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StorageBusyError) return busy('Nothing was changed. Try again', faultOf(error));
  if (error instanceof UnknownCommitError) {
    return busy('The database did not confirm the change, which may or may not have been made. Try again');
  }
  return new ServiceError('internal_error', 'Nothing was changed. See the service log for this request id');
}
