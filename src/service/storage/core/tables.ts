const ofStore = 'text not null references stores (id)';
const counted = 'integer primary key autoincrement';

/**
 * The tables as they are after all migrations: their columns as the embedded engine reads them, with names in camelCase. schema.ts
 * infers the types. Both engines have: text for ids, times (ISO 8601, UTC, milliseconds) and JSON; integers, with 0 and 1
 * for booleans.
 */
export const tables = {
  stores: {
    id: 'text primary key',
    organisationId: 'text not null',
    name: 'text not null',
    slug: 'text not null',
    status: 'text not null',
    defaultCurrency: 'text not null',
    timezone: 'text not null',
    /** JSON. */
    settings: 'text not null',
    createdAt: 'text not null',
    /** A new random one after each change of the columns above. */
    version: 'text not null',
    /** The positions of the posts that it shows: ranges from 1, in order. The last one's end is null: up to the newest. */
    blog: `text not null default '[[1,null]]'`,
    /** The sequence of the newest event that was marked read with all before it. */
    mark: 'integer not null default 0',
    /** Then nobody sees it any more, its slug is free, and `prune` removes its rows. */
    deletedAt: 'text',
  },
  apiKeys: {
    id: 'text primary key',
    storeId: ofStore,
    kind: 'text not null',
    label: 'text not null',
    /** In hex, of the whole key. */
    sha256: 'text not null',
    /** JSON. */
    scopes: 'text not null',
    createdAt: 'text not null',
    expiresAt: 'text',
    revokedAt: 'text',
    /** Id of the key that replaces it. */
    replacedBy: 'text',
    /** The beginning of the hour. */
    lastUsedAt: 'text',
  },
  /** Rows are only ever added, or deleted by `prune`. Which of them a store shows is in `stores.blog`. */
  posts: {
    storeId: ofStore,
    /** Counts the posts of the store from 1. */
    position: 'integer not null',
    id: 'text not null',
    title: 'text not null',
    slug: 'text not null',
    excerpt: 'text',
    /** In hex, of the content in UTF-8. */
    contentSha256: 'text not null',
    coverImageId: 'text',
    /** JSON, as the next. */
    tags: 'text not null',
    featuredProductIds: 'text not null',
    status: 'text not null',
    publishedAt: 'text',
    scheduledAt: 'text',
    metaTitle: 'text',
    metaDescription: 'text',
    viewCount: 'integer not null',
    createdAt: 'text not null',
    updatedAt: 'text not null',
    /** Last, because the embedded engine reads a row from its beginning: lists of posts leave it out. */
    contentMd: 'text not null',
  },
  operationsSettings: {
    storeId: 'text primary key references stores (id)',
    /** JSON. */
    document: 'text not null',
    updatedAt: 'text not null',
  },
  disputes: {
    storeId: ofStore,
    id: 'text not null',
    orderId: 'text',
    buyerEmail: 'text',
    providerCaseId: 'text',
    kind: 'text not null',
    status: 'text not null',
    reason: 'text not null',
    /** JSON. */
    riskSignals: 'text not null',
    deadlineAt: 'text not null',
    appealDeadlineAt: 'text not null',
    resolution: 'text',
    idempotencyKey: 'text not null',
    createdAt: 'text not null',
    updatedAt: 'text not null',
  },
  disputeEvidence: {
    storeId: 'text not null',
    disputeId: 'text not null',
    id: 'text not null',
    kind: 'text not null',
    label: 'text not null',
    storageKey: 'text',
    textValue: 'text',
    submittedBy: 'text not null',
    createdAt: 'text not null',
  },
  /** Audit trail: rows are only ever added. */
  disputeDecisions: {
    storeId: 'text not null',
    disputeId: 'text not null',
    id: 'text not null',
    status: 'text not null',
    resolution: 'text not null',
    /** Id of the API key. */
    decidedBy: 'text not null',
    decidedAt: 'text not null',
  },
  backups: {
    storeId: ofStore,
    id: 'text not null',
    version: 'integer not null',
    label: 'text not null',
    createdAt: 'text not null',
    /** Whether a restore made it, of what it was about to replace. */
    isPreRestore: 'integer not null',
    /** Names of the sections as JSON, in the order of the request. */
    sections: 'text not null',
    /** The content of each section as JSON, null if it was not asked for. That of the blog is ranges of positions. */
    store: 'text',
    blog: 'text',
    settings: 'text',
    endpoints: 'text',
  },
  subdomainReclaims: {
    storeId: ofStore,
    id: 'text not null',
    subdomain: 'text not null',
    reason: 'text not null',
    status: 'text not null',
    appealText: 'text',
    appealedAt: 'text',
    createdAt: 'text not null',
    closedAt: 'text',
  },
  endpoints: {
    storeId: ofStore,
    id: 'text not null',
    kind: 'text not null',
    name: 'text not null',
    /** The URL without its token. */
    maskedUrl: 'text not null',
    /** The whole URL. Null if a restore created the endpoint and this database never knew it: backups contain no secrets. */
    secretUrl: 'text',
    /** JSON. */
    events: 'text not null',
    enabled: 'integer not null',
    /** JSON. */
    discordTemplate: 'text',
    createdAt: 'text not null',
    /** Set by the delivery worker. */
    disabledReason: 'text',
    /** When its oldest pending delivery is to be sent; while a worker sends it, the end of the claim. Null: nothing is pending. */
    dueAt: 'text',
    /** When `dueAt` was set: a time ahead of the clock means that the clock was put back since. */
    dueSince: 'text',
    /** Whether `dueAt` is the end of the store's quiet hours. */
    held: 'integer not null default 0',
    /** Whether the last attempt failed. */
    isFailing: 'integer not null default 0',
    /** Token of the worker that sends to it. */
    claimedBy: 'text',
  },
  /** What a later restore needs to bring an endpoint back that a restore has removed. */
  removedEndpoints: { storeId: ofStore, endpointId: 'text not null', secretUrl: 'text not null' },
  /** An event, which is also a notification in the store with the same id. */
  events: {
    storeId: ofStore,
    id: 'text not null',
    /** Counts the events of the store from 1, in the order of commits. */
    sequence: 'integer not null',
    type: 'text not null',
    /** JSON. */
    data: 'text not null',
    title: 'text not null',
    body: 'text not null',
    createdAt: 'text not null',
    /** When the notification was marked read. */
    readAt: 'text',
  },
  /** Outbox: one row for each endpoint that an event must be sent to. */
  deliveries: {
    sequence: counted,
    storeId: ofStore,
    id: 'text not null',
    eventId: 'text not null',
    endpointId: 'text not null',
    status: 'text not null',
    attempts: 'integer not null',
    createdAt: 'text not null',
    firstAttemptAt: 'text',
    /** When it was delivered or became dead. */
    settledAt: 'text',
    lastError: 'text',
    /** Of the request that caused it (W3C Trace Context). */
    traceparent: 'text',
  },
  idempotencyKeys: {
    storeId: ofStore,
    operation: 'text not null',
    /** Id in the path after the store's, or empty. */
    targetId: 'text not null',
    key: 'text not null',
    fingerprint: 'text not null',
    status: 'integer not null',
    /** JSON. Of a refusal its parts, of a post without the content. */
    body: 'text not null',
    /** JSON. */
    headers: 'text',
    expiresAt: 'text not null',
  },
  /** One row, which `/readyz` replaces to find out whether the database can save again. */
  writeProbes: { id: 'integer primary key', content: 'text not null' },
  /** What operators have changed by `storectl service …`. It outlives the stores. */
  operatorLog: {
    sequence: counted,
    createdAt: 'text not null',
    /** Name of the user on the machine that ran the command. */
    runBy: 'text not null',
    /** Noun and verb, such as `keys create`. */
    command: 'text not null',
    storeId: 'text',
    /** Id of what was changed. */
    objectId: 'text',
  },
} as const;

const names = Object.keys(tables) as (keyof typeof tables)[];

/** The tables with rows of a store, which go with it. A table comes after those that it refers to. */
export const tablesOfStores = names.filter((name) => 'storeId' in tables[name] && name !== 'operatorLog');
