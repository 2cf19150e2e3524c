import * as z from 'zod/mini';
import {
  ifSet,
  lenientObject,
  named,
  oneOf,
  openObject,
  textField,
  timestampText,
  uuidText,
} from '../fields.ts';
import { textForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { pageOf, pageQuery } from '../pages.ts';

export const appealReclaim = {
  id: 'reclaim.appeal',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/subdomain-reclaims/{reclaimId}/appeal',
  summary: 'Appeal a subdomain reclaim notice',
  class: 'one-shot',
  body: openObject({ text: textField('Text of the appeal', { form: textForm(5000, { isFilled: true }) }) }),
  /** Free-form, section 2.8. */
  response: z.looseObject({}),
  repeats: [{ field: 'reclaimId', parameter: 'reclaimId' }],
  candidates: { what: 'reclaim notices to appeal', fits: ({ status }) => status !== 'appealed' },
  service: {
    scope: 'reclaims:appeal',
    response: named(
      lenientObject({
        reclaimId: uuidText(),
        status: z.string(),
        text: z.string(),
        appealedAt: timestampText(),
      }),
      'Appeal',
      'The appeal.',
    ),
    conflicts: true,
    success: [200, 201],
    example: { text: 'The subdomain is in use: it is the address of our shop.' },
  },
} as const satisfies ServedOperation;

const notice = named(
  lenientObject({
    id: uuidText(),
    subdomain: z.string(),
    reason: z.string(),
    status: oneOf(['noticed', 'appealed', 'closed']),
    appealText: ifSet(z.string()),
    createdAt: timestampText(),
    appealedAt: ifSet(timestampText()),
    closedAt: ifSet(timestampText()),
  }),
  'ReclaimNotice',
  'A notice that the platform reclaims a subdomain of the store.',
);

export const listReclaims = {
  id: 'reclaim.list',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/subdomain-reclaims',
  summary: 'List the subdomain reclaim notices, newest first',
  class: 'read',
  body: null,
  query: pageQuery({}),
  response: pageOf(notice, 'ReclaimNotice', 'Subdomain reclaim notices, newest first.'),
  isAddition: true,
  service: { scope: 'reclaims:read' },
} as const satisfies ServedOperation;
