import * as z from 'zod/mini';
import { described, named, oneOf, textField } from './fields.ts';

/** The refusals of this repository's service by their stable codes: clients may act on them. */
export const problems = {
  malformed_request: { status: 400, title: 'Invalid HTTP request' },
  malformed_json: { status: 400, title: 'Invalid JSON body' },
  missing_key: { status: 401, title: 'API key required' },
  invalid_key: { status: 401, title: 'Invalid API key' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  state_conflict: { status: 409, title: 'Conflict with the current state' },
  slug_taken: { status: 409, title: 'Slug already taken' },
  duplicate: { status: 409, title: 'Already exists' },
  stale: { status: 412, title: 'Changed since it was read' },
  too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  expectation_failed: { status: 417, title: 'Unsupported expectation' },
  validation_failed: { status: 422, title: 'Invalid request' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key used for a different request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  busy: { status: 503, title: 'Service busy' },
} as const;

export type ErrorCode = keyof typeof problems;

/**
 * The error body of this repository's service (RFC 9457). The contract does not define errors (section 7), so clients
 * must accept any other body.
 */
export const problemDetails = named(
  z.looseObject({
    type: textField('`urn:storectl:problem:` and the code'),
    title: textField('Meaning of the code'),
    status: described(z.int(), 'HTTP status code'),
    detail: z.optional(textField('What is wrong with this request, for people')),
    code: oneOf(Object.keys(problems), 'Stable name of the reason, for programs'),
    requestId: z.optional(textField('Same as `X-Request-Id`, to find the request in the service log')),
    errors: z.optional(
      described(
        z.array(
          z.looseObject({
            pointer: textField('JSON pointer to the field (RFC 6901)'),
            code: textField('Stable name of the reason'),
            detail: textField('Completes "The field …"'),
          }),
        ),
        'Every invalid field (only for `validation_failed`)',
      ),
    ),
    existing: z.optional(
      described(
        z.looseObject({
          id: textField('ID of the post'),
          title: textField('Title of the post'),
          slug: textField('Slug of the post'),
          contentSha256: textField(
            'SHA-256 (hex) of its `contentMd`, to compare it with the one that was sent',
          ),
        }),
        'The post that has the slug (only for `slug_taken` of a post)',
      ),
    ),
  }),
  'Problem',
  'Problem details (RFC 9457).',
);
