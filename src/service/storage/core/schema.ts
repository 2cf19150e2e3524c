import type { Generated, Selectable } from 'kysely';

/**
 * The tables as Kysely sees them (columns are snake_case in SQL). Types are those that SQLite and PostgreSQL
 * both have: text for ids, times (ISO 8601, UTC, milliseconds) and JSON; integers, with 0 and 1 for booleans.
 */
export interface Schema {
  stores: StoreTable;
  apiKeys: ApiKeyTable;
  posts: PostTable;
  operationsSettings: OperationsSettingsTable;
  disputes: DisputeTable;
  disputeEvidence: DisputeEvidenceTable;
  disputeDecisions: DisputeDecisionTable;
  backups: BackupTable;
  subdomainReclaims: SubdomainReclaimTable;
  endpoints: EndpointTable;
  removedEndpoints: RemovedEndpointTable;
  events: EventTable;
  deliveries: DeliveryTable;
  idempotencyKeys: IdempotencyKeyTable;
  operatorLog: OperatorLogTable;
}

/**
 * A row as the operations see it: without the id of its store, which its tenant names. `Values` are the columns that hold
 * something else than the table, such as a list instead of JSON.
 */
export type RecordOf<Table extends keyof Schema, Values = object> = Readonly<
  Omit<Selectable<Schema[Table]>, 'storeId' | keyof Values> & Values
>;

/** JSON as text. */
type Json = string;
type Timestamp = string;
type Flag = number;

interface StoreTable {
  id: string;
  organisationId: string;
  name: string;
  slug: string;
  status: string;
  defaultCurrency: string;
  timezone: string;
  settings: Json;
  createdAt: Timestamp;
  /** The positions of the posts that it shows: ranges from 1, in order. The last one's end is null: up to the newest. */
  blog: Generated<Json>;
  /** The sequence of the newest event that was marked read with all before it. */
  mark: Generated<number>;
  /** Then nobody sees it any more, its slug is free, and `prune` removes its rows. */
  deletedAt: Generated<Timestamp | null>;
}

interface ApiKeyTable {
  storeId: string;
  id: string;
  kind: string;
  label: string;
  /** In hex, of the whole key. */
  sha256: string;
  scopes: Json;
  createdAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** Id of the key that replaces it. */
  replacedBy: string | null;
  lastUsedAt: Generated<Timestamp | null>;
}

/** Rows are only ever added, or deleted by `prune`. Which of them a store shows is in `stores.blog`. */
interface PostTable {
  storeId: string;
  /** Counts the posts of the store from 1. */
  position: number;
  id: string;
  title: string;
  slug: string;
  excerpt: string | null;
  contentMd: string;
  coverImageId: string | null;
  tags: Json;
  featuredProductIds: Json;
  status: string;
  publishedAt: Timestamp | null;
  scheduledAt: Timestamp | null;
  metaTitle: string | null;
  metaDescription: string | null;
  viewCount: number;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

interface OperationsSettingsTable {
  storeId: string;
  document: Json;
  updatedAt: Timestamp;
}

interface DisputeTable {
  storeId: string;
  id: string;
  orderId: string | null;
  buyerEmail: string | null;
  providerCaseId: string | null;
  kind: string;
  status: string;
  reason: string;
  riskSignals: Json;
  deadlineAt: Timestamp;
  appealDeadlineAt: Timestamp;
  resolution: string | null;
  idempotencyKey: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

interface DisputeEvidenceTable {
  storeId: string;
  disputeId: string;
  id: string;
  kind: string;
  label: string;
  storageKey: string | null;
  textValue: string | null;
  submittedBy: string;
  createdAt: Timestamp;
}

/** Audit trail: rows are only ever added. */
interface DisputeDecisionTable {
  storeId: string;
  disputeId: string;
  id: string;
  status: string;
  resolution: string;
  /** Id of the API key. */
  decidedBy: string;
  decidedAt: Timestamp;
}

interface BackupTable {
  storeId: string;
  id: string;
  version: number;
  label: string;
  createdAt: Timestamp;
  /** Whether a restore made it, of what it was about to replace. */
  isPreRestore: Flag;
  /** Names of the sections, in the order of the request. */
  sections: Json;
  /** The content of each section, null if it was not asked for. */
  store: Json | null;
  /** Ranges of positions. */
  blog: Json | null;
  settings: Json | null;
  endpoints: Json | null;
}

interface SubdomainReclaimTable {
  storeId: string;
  id: string;
  subdomain: string;
  reason: string;
  status: string;
  appealText: string | null;
  appealedAt: Timestamp | null;
  createdAt: Timestamp;
  closedAt: Generated<Timestamp | null>;
}

interface EndpointTable {
  storeId: string;
  id: string;
  kind: string;
  name: string;
  /** The URL without its token. */
  maskedUrl: string;
  /** The whole URL. Null if a restore created the endpoint and this database never knew it: backups contain no secrets. */
  secretUrl: string | null;
  events: Json;
  enabled: Flag;
  discordTemplate: Json | null;
  createdAt: Timestamp;
  /** Set by the delivery worker. */
  disabledReason: string | null;
  /** When its oldest pending delivery is to be sent; while a worker sends it, the end of the claim. Null: nothing is pending. */
  dueAt: Generated<Timestamp | null>;
  /** Whether `dueAt` is the end of the store's quiet hours. */
  held: Generated<Flag>;
  /** Whether the last attempt failed. */
  isFailing: Generated<Flag>;
  /** Token of the worker that sends to it. */
  claimedBy: Generated<string | null>;
}

/** What a later restore needs to bring an endpoint back that a restore has removed. */
interface RemovedEndpointTable {
  storeId: string;
  endpointId: string;
  secretUrl: string;
}

/** An event, which is also a notification in the store with the same id. */
interface EventTable {
  storeId: string;
  id: string;
  /** Counts the events of the store from 1, in the order of commits. */
  sequence: number;
  type: string;
  data: Json;
  title: string;
  body: string;
  createdAt: Timestamp;
  /** When the notification was marked read. */
  readAt: Timestamp | null;
}

/** Outbox: one row for each endpoint that an event must be sent to. */
interface DeliveryTable {
  /** Assigned by the database, in the order of insertion. */
  sequence: Generated<number>;
  storeId: string;
  id: string;
  eventId: string;
  endpointId: string;
  status: string;
  attempts: number;
  createdAt: Timestamp;
  firstAttemptAt: Timestamp | null;
  /** When it was delivered or became dead. */
  settledAt: Timestamp | null;
  lastError: string | null;
  /** Of the request that caused it (W3C Trace Context). */
  traceparent: string | null;
}

interface IdempotencyKeyTable {
  storeId: string;
  operation: string;
  /** Id in the path after the store's, or empty. */
  targetId: string;
  key: string;
  fingerprint: string;
  status: number;
  body: Json;
  createdAt: Timestamp;
  expiresAt: Timestamp;
}

/** What operators have changed by `storectl service …`. It outlives the stores. */
interface OperatorLogTable {
  sequence: Generated<number>;
  createdAt: Timestamp;
  /** Name of the user on the machine that ran the command. */
  runBy: string;
  /** Noun and verb, such as `keys create`. */
  command: string;
  storeId: string | null;
  /** Id of what was changed. */
  objectId: string | null;
}
