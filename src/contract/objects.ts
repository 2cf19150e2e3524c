/**
 * Kinds of objects of a store whose ids are typed and completed. `fields` are those of an item that are remembered when a read
 * shows it, to recognize it by: what {@link Operation} says of responses needs zod, which completion does without.
 */
export const objectKinds = {
  backup: {
    plural: 'backups',
    hasUuid: true,
    list: ['backup', 'list'],
    fields: ['label', 'sections', 'automatic', 'createdAt'],
  },
  dispute: {
    plural: 'disputes',
    hasUuid: true,
    list: ['disputes', 'list'],
    fields: [
      ...['status', 'reason', 'deadlineAt', 'buyerEmail', 'providerCaseId'],
      ...['orderId', 'kind', 'resolution', 'createdAt'],
    ],
  },
  post: {
    plural: 'posts',
    hasUuid: false,
    list: ['blog', 'list'],
    fields: ['title', 'slug', 'status', 'publishedAt', 'createdAt'],
  },
  endpoint: {
    plural: 'endpoints',
    hasUuid: false,
    list: ['notify', 'list'],
    fields: ['name', 'kind', 'events', 'enabled', 'createdAt'],
  },
  reclaim: {
    plural: 'reclaim notices',
    hasUuid: false,
    list: ['reclaim', 'list'],
    fields: ['subdomain', 'status', 'reason', 'createdAt'],
  },
  notification: {
    plural: 'notifications',
    hasUuid: false,
    list: ['notify', 'inbox'],
    fields: ['title', 'event', 'read', 'createdAt'],
  },
} as const;

export type ObjectKind = keyof typeof objectKinds;
