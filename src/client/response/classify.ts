import type { Operation, OperationClass } from '../../contract/operation.ts';
import type { FailedAttempt } from '../outcome/combine-attempts.ts';
import type { Applied, AttemptFailure, Problem, ServiceFeature } from '../outcome/outcome.ts';
import { parseRetryAfter, type RowName, rowOfFailure, rowOfStatus } from '../outcome/retry.ts';
import { WireError } from '../wire/connect.ts';
import { decodeBody } from '../wire/decode.ts';
import type { WireResponse } from '../wire/transport.ts';
import { findDrift } from './drift.ts';
import { mismatchOf } from './mismatch.ts';
import { readProblem, saysInProgress } from './problem.ts';

/** The response to one request, as text without the API key. */
export interface ReceivedResponse {
  /** See {@link WireResponse}. */
  readonly sent: boolean;
  readonly status: number | null;
  readonly statusText: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  /** Why the response is incomplete, or null. */
  readonly failure: AttemptFailure | null;
  /** See {@link WireResponse}. */
  readonly oddities: readonly string[];
}

/** The part of the request that {@link classifyResponse} needs. */
interface RequestTraits {
  readonly path: string;
  readonly body: string | null;
  readonly class: OperationClass;
  /** The request had an idempotency key in its header. */
  readonly hasKey: boolean;
  readonly operation?: Pick<Operation, 'path' | 'response' | 'repeats'> | null;
}

/** The statuses of a success without a body (RFC 9110, sections 15.3.5 and 15.3.6). */
const BODILESS = new Set([204, 205]);

/** The failures of a complete response that cannot be read. After any other failure, the response is incomplete. */
const unreadable: ReadonlySet<AttemptFailure['code']> = new Set([
  'body_too_large',
  'headers_too_large',
  'unreadable_body',
]);

/** An ETag that can be sent back. A response with any other ETag counts as one without. */
export const etagPattern = /^[\x21-\x7e]+$/;

const decoder = new TextDecoder();

export async function readResponse(
  wire: WireResponse,
  redact: (text: string) => string,
  limits: Parameters<typeof decodeBody>[2],
): Promise<ReceivedResponse> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(wire.headers)) headers[name] = redact(value);
  let text = '';
  let failure = wire.failure;
  try {
    const bytes = await decodeBody(wire.body, wire.headers['content-encoding'] ?? '', limits);
    text = redact(decoder.decode(bytes));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    failure ??= error.failure;
  }
  const { sent, status, oddities } = wire;
  return { sent, status, statusText: redact(wire.statusText), headers, text, failure, oddities };
}

/** The number of an attempt (from 1), its start by the monotonic clock, and its end in epoch milliseconds. */
interface AttemptTimes {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The success in a response, or the failed attempt with its row of the retry table. */
export function classifyResponse(
  response: ReceivedResponse,
  request: RequestTraits,
  { attempt, startedAt, endedAt }: AttemptTimes,
): Applied | FailedAttempt {
  const { sent, status, headers, failure } = response;
  const requestId = headers['x-request-id'] ?? null;
  const features = featuresIn(headers);
  const retryAfterMs = parseRetryAfter(headers, endedAt);
  const failed = (row: RowName, reason: AttemptFailure | null, problem: Problem | null): FailedAttempt => ({
    row,
    failure: reason,
    status,
    problem,
    retryAfterMs,
    retryAt: retryAfterMs === null ? null : endedAt + retryAfterMs,
    requestId,
    features,
    // Without `keys`, another instance of the service may have applied an earlier attempt.
    isKept: request.hasKey && features.includes('keys') && isTrue(headers['idempotency-kept']),
    startedAt,
  });
  if (status === null) {
    const reason = failure ?? { code: 'connection_lost', message: 'no response' };
    return failed(rowOfFailure(sent, reason), reason, null);
  }
  if (status < 200 || status > 299) {
    const problem = problemOf(response, status);
    const isKeyed = request.class === 'keyed' || request.hasKey;
    if (status === 409 && isKeyed && saysInProgress(response.text)) {
      return failed('in_progress', { code: 'in_progress', message: problem.message }, problem);
    }
    const row = rowOfStatus(status, retryAfterMs !== null);
    const text = problem.message.startsWith('HTTP ') ? problem.message : `HTTP ${status}: ${problem.message}`;
    const message = `the service returned ${text}`;
    if (row === 'unavailable') return failed(row, { code: 'server_error', message }, problem);
    if (row === 'redirected') return failed(row, { code: 'redirected', message }, problem);
    return failed(row, null, problem);
  }
  const body = readBody(response, status, request.operation === null);
  if ('failure' in body) {
    return failed(unreadable.has(body.failure.code) ? 'unreadable' : 'lost', body.failure, null);
  }
  const { operation } = request;
  const mismatch = operation ? mismatchOf(operation, request, body.value) : null;
  if (mismatch !== null)
    return failed('unreadable', { code: 'mismatched_response', message: mismatch }, null);
  const etag = etagPattern.exec(headers.etag ?? '')?.[0] ?? null;
  let drift: readonly string[] | undefined;
  return {
    kind: 'applied',
    attempts: attempt,
    requestId,
    features,
    status,
    body: body.value,
    text: response.text,
    etag,
    replayed: isTrue(headers['idempotency-replayed']),
    get drift() {
      drift ??= [...response.oddities, ...findDrift(body.value, operation?.response)];
      return drift;
    },
  };
}

function isTrue(header: string | undefined): boolean {
  return header?.trim().toLowerCase() === 'true';
}

const knownFeatures: readonly ServiceFeature[] = ['reads', 'keys'];

/** The features in the header `Service-Features`: names with commas, in any letter case. */
function featuresIn(headers: ReceivedResponse['headers']): readonly ServiceFeature[] {
  const names = (headers['service-features'] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return knownFeatures.filter((feature) => names.includes(feature));
}

function readBody(
  { text, headers, failure }: ReceivedResponse,
  status: number,
  anyBody: boolean,
): { value: unknown } | { failure: AttemptFailure } {
  if (failure !== null) return { failure };
  if (BODILESS.has(status) || (anyBody && text === '')) return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch {
    if (anyBody) return { value: text };
    const message =
      text === ''
        ? 'the response is empty'
        : `the response is not JSON (${headers['content-type'] ?? 'no Content-Type'})`;
    return { failure: { code: 'unreadable_body', message } };
  }
}

function problemOf({ statusText, headers, text }: ReceivedResponse, status: number): Problem {
  const problem = readProblem({ status, statusText, contentType: headers['content-type'] ?? '', text });
  if (status >= 400 || headers.location === undefined) return problem;
  const message = `HTTP ${status}: redirects to ${headers.location.slice(0, 200)}, and redirects are not followed`;
  return { ...problem, message };
}
