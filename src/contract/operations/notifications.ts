import * as z from 'zod/mini';
import { described, lenientObject, openObject, text, time, timestamp, uuid } from '../fields.ts';
import type { Operation } from '../operation.ts';

const discordTemplate = lenientObject({
  title: text('Title of the Discord message'),
  description: text('Text of the Discord message'),
  color: text('Colour of the Discord message, for example #0a7cff'),
});

/** Notification endpoint, section 2.7. */
const notificationEndpoint = lenientObject({
  id: uuid(),
  kind: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  discordTemplate,
  createdAt: timestamp(),
});

/** The contract does not show whether the request may have `enabled` and `discordTemplate` (section 4, note 9). */
export const addEndpoint = {
  id: 'notify.add-endpoint',
  method: 'POST',
  path: '/v1/stores/{storeId}/notifications/endpoints',
  summary: 'Add an endpoint that notifications are sent to',
  class: 'one-shot',
  body: openObject({
    kind: text('Kind of the endpoint'),
    name: text('Name of the endpoint'),
    url: described(z.url(), 'Web address that receives the notifications'),
    events: described(z.array(z.string()), 'Events that trigger notifications, for example feedback_digest'),
    enabled: z.optional(described(z.boolean(), 'Send notifications to this endpoint')),
    discordTemplate: z.optional(discordTemplate),
  }),
  response: notificationEndpoint,
} as const satisfies Operation;

/** The contract does not show which fields select notifications (section 4, note 10). */
export const markNotificationsRead = {
  id: 'notify.mark-read',
  method: 'POST',
  path: '/v1/stores/{storeId}/notifications/read',
  summary: 'Mark notifications read',
  class: 'repeatable',
  body: openObject({
    ids: z.optional(described(z.array(z.string()), 'Ids of the notifications to mark read')),
    before: z.optional(time('Mark everything before this time as read, for example 2030-01-31 09:00')),
  }),
  response: lenientObject({ ok: z.boolean() }),
} as const satisfies Operation;
