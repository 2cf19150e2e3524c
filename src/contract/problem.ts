import * as z from 'zod/mini';

/**
 * The error body of the service in this repository (RFC 9457). The contract leaves errors open (section 7),
 * so a client reads any other body too.
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
