import * as z from 'zod/mini';
import { openObject, text } from '../fields.ts';
import type { Operation } from '../operation.ts';

export const appealReclaim = {
  id: 'reclaim.appeal',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/subdomain-reclaims/{reclaimId}/appeal',
  summary: 'Appeal a notice that reclaims the subdomain',
  class: 'one-shot',
  body: openObject({ text: text('Text of the appeal') }),
  /** Free-form, section 2.8. */
  response: z.looseObject({}),
} as const satisfies Operation;
