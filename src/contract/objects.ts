/** What the command line says and knows of a kind of objects. Completion reads it, which does without zod and so without schemas. */
interface KindOfObjects {
  readonly one: string;
  readonly plural: string;
  /** Whether the contract says that their ids are UUIDs; the form of other ids is not known. */
  readonly hasUuid: boolean;
  /** The command that lists them. */
  readonly list: readonly [noun: string, verb: string];
  /** The operations whose records mention them. */
  readonly operations: readonly string[];
  /** Fields that are remembered when a read shows one. */
  readonly fields: readonly string[];
  /** Those that a person recognizes one by. */
  readonly recognizedBy: readonly string[];
  /** What people have in place of the id, and the filter of the list that finds one by it. */
  readonly alsoFoundBy?: { readonly what: string; readonly filter: string };
  /** When one with this status has to be acted on: said in place of the status. */
  readonly due?: { readonly status: string; readonly at: string };
}

/** Kinds of objects of a store whose ids are typed and completed. */
export const objectKinds = {
  backup: {
    one: 'backup',
    plural: 'backups',
    hasUuid: true,
    list: ['backup', 'list'],
    operations: ['backup.create'],
    fields: ['label', 'sections', 'automatic', 'createdAt'],
    recognizedBy: ['label', 'sections'],
  },
  dispute: {
    one: 'dispute',
    plural: 'disputes',
    hasUuid: true,
    list: ['disputes', 'list'],
    operations: ['disputes.open', 'disputes.decide'],
    fields: [
      'status',
      'reason',
      'deadlineAt',
      'buyerEmail',
      'providerCaseId',
      'orderId',
      'kind',
      'resolution',
      'createdAt',
    ],
    recognizedBy: ['status', 'buyerEmail', 'providerCaseId', 'reason'],
    alsoFoundBy: { what: 'the case number of a payment provider', filter: '--provider-case-id' },
    due: { status: 'open', at: 'deadlineAt' },
  },
  post: {
    one: 'post',
    plural: 'posts',
    hasUuid: false,
    list: ['blog', 'list'],
    operations: ['blog.create'],
    fields: ['title', 'slug', 'status', 'publishedAt', 'createdAt'],
    recognizedBy: ['title', 'slug'],
  },
  endpoint: {
    one: 'endpoint',
    plural: 'endpoints',
    hasUuid: false,
    list: ['notify', 'list'],
    operations: ['notify.add-endpoint'],
    fields: ['name', 'kind', 'events', 'enabled', 'createdAt'],
    recognizedBy: ['name', 'kind'],
  },
  reclaim: {
    one: 'reclaim notice',
    plural: 'reclaim notices',
    hasUuid: false,
    list: ['reclaim', 'list'],
    operations: ['reclaim.appeal'],
    fields: ['subdomain', 'status', 'reason', 'createdAt'],
    recognizedBy: ['subdomain', 'status'],
  },
  notification: {
    one: 'notification',
    plural: 'notifications',
    hasUuid: false,
    list: ['notify', 'inbox'],
    operations: [],
    fields: ['title', 'event', 'read', 'createdAt'],
    recognizedBy: ['title'],
  },
} as const satisfies Readonly<Record<string, KindOfObjects>>;

export type ObjectKind = keyof typeof objectKinds;

/** The same, as one type for all kinds. */
export function kindOf(kind: ObjectKind): KindOfObjects {
  return objectKinds[kind];
}

export function isObjectKind(text: string): text is ObjectKind {
  return Object.hasOwn(objectKinds, text);
}

/** The kind that a parameter in a path names, if it is one: `backup` for `backupId`. */
export function kindOfParameter(name: string): ObjectKind | undefined {
  const kind = name.replace(/Id$/, '');
  return isObjectKind(kind) ? kind : undefined;
}

/** Ids in the demo store. They are fixed, so that its history is found without opening it. */
export const exampleIds = {
  store: '5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3a7',
  wonDispute: '0197a3c0-11e2-7d54-8b3f-2c6a9e41d705',
  openDispute: '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4',
  reclaim: '01986448-3c05-7e92-a7d1-84f6b09c2e3a',
} as const;
