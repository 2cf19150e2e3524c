import * as z from 'zod';
import { line, time } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import { markAll, markSome } from '../storage/queries/notifications.ts';
import type { Work } from './unit-of-work.ts';

/** Body of operation 12. Without both fields it marks all notifications. */
export const readMark = z
  .strictObject({
    /** Ids that the store does not have are ignored, so any text is valid. */
    ids: z.array(line(100)).max(500).optional(),
    before: time().optional(),
  })
  .refine(({ ids, before }) => ids === undefined || before === undefined, {
    error: 'must not be given together with ids',
    params: { code: 'not_allowed' },
    path: ['before'],
  })
  .meta({ not: { properties: { ids: {}, before: {} }, required: ['ids', 'before'] } });

/** Operation 12. Marking all takes no longer the more there are: the store remembers up to which they are read. */
export async function markRead(work: Work, { ids, before }: z.output<typeof readMark>) {
  await (ids === undefined ? markAll(work, before) : markSome(work, ids, timestamp(work.now)));
  return { ok: true };
}
