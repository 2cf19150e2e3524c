import * as z from 'zod';
import { oneLine, time } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { findNotifications, markAll, markSome } from '../storage/queries/notifications.ts';
import { bySequence, pageInput, toPage } from './pages.ts';
import type { Work } from './unit-of-work.ts';

/** Body of `notify.mark-read`. Without both fields it marks all notifications. */
export const readMark = z
  .strictObject({
    /** Ids that the store does not have are ignored, so any text is valid. */
    ids: z.array(oneLine(100)).max(500).optional(),
    before: time().optional(),
  })
  .refine(({ ids, before }) => ids === undefined || before === undefined, {
    error: 'must not be given together with ids',
    params: { code: 'not_allowed' },
    path: ['before'],
  })
  .meta({ not: { properties: { ids: {}, before: {} }, required: ['ids', 'before'] } });

/** `notify.mark-read`. Marking all takes no longer the more there are: the store remembers up to which they are read. */
export async function markRead(work: Work, { ids, before }: z.output<typeof readMark>) {
  await (ids === undefined ? markAll(work, before) : markSome(work, ids, timestamp(work.now)));
  return { ok: true };
}

/** Query of `notify.inbox`. */
export const notificationsQuery = pageInput({
  unread: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false),
});

/** `notify.inbox`: newest first. */
export async function showInbox(tenant: Tenant, query: z.output<typeof notificationsQuery>) {
  const { limit, unread, after } = query;
  const [below = null] = bySequence.read(after) ?? [];
  const rows = await findNotifications(tenant, { isUnread: unread, below, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    ({ sequence }) => bySequence.write(sequence),
    ({ id, type, title, body, createdAt, isRead }) => ({
      id,
      event: type,
      title,
      text: body,
      createdAt,
      read: isRead,
    }),
  );
}
