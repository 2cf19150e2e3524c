/**
 * Kinds of objects of a store whose ids are typed and completed. `hasUuid`: the contract says that their ids are UUIDs; the form of other
 * ids is not known. `fields` are those of an item that are remembered when a read
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

/** Ids in the demo store. They are fixed, so that its history is found without opening it. */
export const exampleIds = {
  store: '5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3a7',
  wonDispute: '0197a3c0-11e2-7d54-8b3f-2c6a9e41d705',
  openDispute: '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4',
  reclaim: '01986448-3c05-7e92-a7d1-84f6b09c2e3a',
} as const;
