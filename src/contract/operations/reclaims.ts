import * as z from 'zod/mini';
import { lenientObject, named, openObject, text, timestamp, uuid } from '../fields.ts';
import type { ServedOperation } from '../operation.ts';

export const appealReclaim = {
  id: 'reclaim.appeal',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/subdomain-reclaims/{reclaimId}/appeal',
  summary: 'Appeal a subdomain reclaim notice',
  class: 'one-shot',
  body: openObject({ text: text('Text of the appeal') }),
  /** Free-form, section 2.8. */
  response: z.looseObject({}),
  repeats: [{ field: 'reclaimId', parameter: 'reclaimId' }],
  service: {
    scope: 'reclaims:appeal',
    response: named(
      lenientObject({ reclaimId: uuid(), status: z.string(), text: z.string(), appealedAt: timestamp() }),
      'Appeal',
      'The appeal.',
    ),
    conflicts: true,
    success: [200, 201],
    example: { text: 'The subdomain is in use: it is the address of our shop.' },
  },
} as const satisfies ServedOperation;
