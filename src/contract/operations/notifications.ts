import * as z from 'zod/mini';
import {
  described,
  ifSet,
  lenientObject,
  named,
  oneOf,
  openObject,
  textField,
  timeField,
  timestampText,
  uuidText,
} from '../fields.ts';
import { lineForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { pageOf, pageQuery } from '../pages.ts';

const discordTemplate = ifSet(
  lenientObject({
    title: ifSet(textField('Title of the Discord message')),
    description: ifSet(textField('Text of the Discord message')),
    color: ifSet(textField('Color of the Discord message', { example: '#0a7cff' })),
  }),
);

/** Events that this repository's service knows (section 6 has the last one). */
export const eventTypes = [
  'store_updated',
  'post_created',
  'dispute_opened',
  'dispute_decided',
  'settings_updated',
  'backup_created',
  'backup_restored',
  'reclaim_noticed',
  'reclaim_appealed',
  'feedback_digest',
] as const;

/** Kinds of endpoints that this repository's service knows. */
export const endpointKinds = ['discord'] as const;

const endpointFields = {
  id: uuidText(),
  kind: oneOf(endpointKinds),
  name: z.string(),
  url: z.string(),
  events: z.array(oneOf(eventTypes)),
  enabled: z.boolean(),
  discordTemplate,
  createdAt: timestampText(),
};

/** Notification endpoint, section 2.7. */
const notificationEndpoint = named(
  lenientObject(endpointFields),
  'Endpoint',
  'An endpoint that notifications are sent to. The token in its URL is masked.',
);

const listedEndpoint = named(
  lenientObject({
    ...endpointFields,
    disabledReason: ifSet(textField('Why the service has disabled it')),
  }),
  'ListedEndpoint',
  'An endpoint, and why it is disabled. The token in its URL is masked.',
);

const notification = named(
  lenientObject({
    id: uuidText(),
    event: oneOf(eventTypes),
    title: z.string(),
    text: z.string(),
    createdAt: timestampText(),
    read: described(z.boolean(), 'Whether it was marked as read'),
  }),
  'Notification',
  'A notification in the store.',
);

/** The contract does not show whether the request may have `enabled` and `discordTemplate` (section 4, note 9). */
export const addEndpoint = {
  id: 'notify.add-endpoint',
  method: 'POST',
  path: '/v1/stores/{storeId}/notifications/endpoints',
  summary: 'Add an endpoint that notifications are sent to',
  class: 'one-shot',
  body: openObject({
    kind: oneOf(endpointKinds, 'Kind of the endpoint'),
    name: textField('Name of the endpoint', { form: lineForm(80, { isFilled: true }) }),
    url: described(z.url(), 'URL that receives the notifications', {
      remark: 'for Discord: https://discord.com/api/webhooks/ID/TOKEN',
    }),
    events: described(z.array(oneOf(eventTypes)), 'Events that trigger notifications', {
      example: 'feedback_digest',
    }),
    enabled: z.optional(described(z.boolean(), 'Send notifications to this endpoint')),
    discordTemplate: z.optional(discordTemplate),
  }),
  response: notificationEndpoint,
  repeats: [{ field: 'name' }],
  service: {
    scope: 'notifications:write',
    conflicts: true,
    success: [201],
    example: {
      kind: 'discord',
      name: 'Team channel',
      url: 'https://discord.com/api/webhooks/123456789012345678/token',
      events: ['dispute_opened', 'feedback_digest'],
    },
  },
} as const satisfies ServedOperation;

/** The contract does not show which fields select notifications (section 4, note 10). */
export const markNotificationsRead = {
  id: 'notify.mark-read',
  method: 'POST',
  path: '/v1/stores/{storeId}/notifications/read',
  summary: 'Mark notifications as read',
  class: 'repeatable',
  body: openObject({
    ids: z.optional(described(z.array(z.string()), 'IDs of the notifications to mark as read')),
    before: z.optional(
      timeField('Mark everything before this time as read', { example: '2030-01-31 09:00' }),
    ),
  }),
  response: named(lenientObject({ ok: z.boolean() }), 'Done', 'The notifications were marked as read.'),
  candidates: { what: 'unread notifications', query: { unread: 'true' }, fits: ({ read }) => read !== true },
  service: { scope: 'notifications:write', example: { before: '2030-01-31T09:00:00Z' } },
} as const satisfies ServedOperation;

export const listEndpoints = {
  id: 'notify.list',
  method: 'GET',
  path: '/v1/stores/{storeId}/notifications/endpoints',
  summary: 'List the endpoints that notifications are sent to, newest first',
  class: 'read',
  body: null,
  query: pageQuery({}),
  response: pageOf(listedEndpoint, 'Endpoint', 'Endpoints, newest first.'),
  isAddition: true,
  service: { scope: 'notifications:read' },
} as const satisfies ServedOperation;

export const listNotifications = {
  id: 'notify.inbox',
  method: 'GET',
  path: '/v1/stores/{storeId}/notifications',
  summary: 'List the notifications in the store, newest first',
  class: 'read',
  body: null,
  query: pageQuery({
    unread: z.optional(described(z.boolean(), 'Only notifications that were not marked as read')),
  }),
  filters: { unread: { field: 'read', means: { true: false } } },
  response: pageOf(notification, 'Notification', 'Notifications, newest first.'),
  isAddition: true,
  service: { scope: 'notifications:read' },
} as const satisfies ServedOperation;
