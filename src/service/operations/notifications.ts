import * as z from 'zod';
import { text, time } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import { markNotifications } from '../storage/queries/events.ts';
import type { Work } from './unit-of-work.ts';

/** Body of operation 12. Without both fields it marks all notifications. */
export const readMark = z
  .strictObject({
    /** Ids that the store does not have are ignored, so any text is valid. */
    ids: z.array(text(100)).max(500).optional(),
    before: time().optional(),
  })
  .refine(({ ids, before }) => ids === undefined || before === undefined, {
    error: 'must not be given together with ids',
    params: { code: 'not_allowed' },
    path: ['before'],
  })
  .meta({ not: { required: ['ids', 'before'] } });

/** Notifications that one transaction marks: other changes of the store run between two of them. */
export const stepSize = 500;

/**
 * Operation 12, one step of it: false until all are marked. Nothing marks a notification unread again, so a request that
 * was cut off between two steps can be sent again.
 */
export async function markRead(work: Work, { ids, before }: z.output<typeof readMark>): Promise<boolean> {
  const filter = { ...(ids && { ids }), ...(before && { before }) };
  return (await markNotifications(work, filter, timestamp(work.now), stepSize)) < stepSize;
}
