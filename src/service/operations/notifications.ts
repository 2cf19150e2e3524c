import * as z from 'zod';
import { time } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import { markNotifications } from '../storage/queries/events.ts';
import type { Work } from './unit-of-work.ts';

/** Body of operation 12: nothing for all, or one of the two. */
export const readMark = z
  .strictObject({
    /** Ids that the store does not have are passed over, so any text may stand here. */
    ids: z.array(z.string().max(100)).max(500).optional(),
    before: time().optional(),
  })
  .refine(({ ids, before }) => ids === undefined || before === undefined, {
    error: 'takes ids or before, not both',
    params: { code: 'not_allowed' },
    path: ['before'],
  });

/** Operation 12. Notifications only ever go from unread to read. */
export async function markRead(work: Work, { ids, before }: z.output<typeof readMark>): Promise<void> {
  await markNotifications(work, { ...(ids && { ids }), ...(before && { before }) }, timestamp(work.now));
}
