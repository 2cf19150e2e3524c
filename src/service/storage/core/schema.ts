import type { Generated } from 'kysely';

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
  backupSections: BackupSectionTable;
  subdomainReclaims: SubdomainReclaimTable;
  endpoints: EndpointTable;
  events: EventTable;
  deliveries: DeliveryTable;
  idempotencyKeys: IdempotencyKeyTable;
  rateLimits: RateLimitTable;
}

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
}

interface ApiKeyTable {
  storeId: string;
  id: string;
  kind: string;
  label: string;
  /** Hex, of the whole key. */
  sha256: string;
  scopes: Json;
  createdAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** Id of the key that takes its place. */
  replacedBy: string | null;
}

interface PostTable {
  storeId: string;
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
  /** Id of the API key that decided. */
  decidedBy: string;
  decidedAt: Timestamp;
}

interface BackupTable {
  storeId: string;
  id: string;
  version: number;
  label: string;
  createdAt: Timestamp;
}

interface BackupSectionTable {
  storeId: string;
  backupId: string;
  name: string;
  /** Place of the section in the request that made the backup. */
  position: number;
  schemaVersion: number;
  itemCount: number;
  /** Hex, of `payload` in UTF-8. */
  sha256: string;
  /** JSON array of items in canonical form. */
  payload: string;
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
}

interface EndpointTable {
  storeId: string;
  id: string;
  kind: string;
  name: string;
  /** The address without its secret part. */
  maskedUrl: string;
  /** The whole address; null once a restore has brought the endpoint back from a backup, which holds no secrets. */
  secretUrl: string | null;
  events: Json;
  enabled: Flag;
  discordTemplate: Json | null;
  createdAt: Timestamp;
  /** Why the delivery worker has disabled it. */
  disabledReason: string | null;
}

/** What has happened, and the notification of it in the store, which has the same id. */
interface EventTable {
  storeId: string;
  id: string;
  type: string;
  data: Json;
  title: string;
  body: string;
  createdAt: Timestamp;
  /** When somebody marked the notification read. */
  readAt: Timestamp | null;
}

/** Outbox: one row for each endpoint that an event is to be sent to. */
interface DeliveryTable {
  /** In the order of their making; the database assigns it. */
  sequence: Generated<number>;
  storeId: string;
  id: string;
  eventId: string;
  endpointId: string;
  status: string;
  attempts: number;
  /** While a worker has it: when its lease ends. */
  nextAttemptAt: Timestamp;
  createdAt: Timestamp;
  /** Names the claim of the worker that has it. */
  claimedBy: string | null;
  firstAttemptAt: Timestamp | null;
  /** When it was delivered or given up. */
  settledAt: Timestamp | null;
  lastError: string | null;
}

interface IdempotencyKeyTable {
  storeId: string;
  operation: string;
  /** Id in the path after the store's, empty where there is none. */
  targetId: string;
  key: string;
  fingerprint: string;
  status: number;
  body: Json;
  createdAt: Timestamp;
  expiresAt: Timestamp;
}

/** On PostgreSQL only. */
interface RateLimitTable {
  storeId: string;
  keyId: string;
  /** Epoch milliseconds at which the key may make as many requests at once as it ever may. */
  fullAt: number;
}
