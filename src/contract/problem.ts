import * as z from 'zod/mini';

/**
 * The error body of this repository's service (RFC 9457). The contract does not define errors (section 7), so clients
 * must accept any other body.
 */
export const problemDetails = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.optional(z.string()),
  code: z.string(),
  requestId: z.optional(z.string()),
  errors: z.optional(z.array(z.looseObject({ pointer: z.string(), code: z.string(), detail: z.string() }))),
});
