export { type Preset, presets, type Scope, scopes } from '../contract/scopes.ts';
export {
  type CreatedKey,
  createKey,
  deleteExpiredKeys,
  type ListedKey,
  listKeys,
  type NewKey,
  type RotatedKey,
  revokeKey,
  rotateKey,
} from './admin/api-keys.ts';
export {
  type DeliveryState,
  deliveryStates,
  type ListedDelivery,
  listDeliveries,
  retryAllDead,
  retryDelivery,
} from './admin/deliveries.ts';
export { emitEvent, type RaisedEvent, raisedEvents } from './admin/emit-event.ts';
export { type ExampleStore, seedExampleStore } from './admin/example-store.ts';
export {
  closeReclaim,
  giveReclaimNotice,
  listAllBackups,
  listAllDisputes,
  listAllEndpoints,
  listReclaimNotices,
  removeBackup,
  removeEndpoint,
  submitEvidence,
} from './admin/objects.ts';
export { defaultRetentionDays, type Pruned, prune, pruneDaily } from './admin/prune.ts';
export { createStore, deleteStore, listStores, measureStore } from './admin/stores.ts';
export { parseSink } from './delivery/send.ts';
export { type App, type AppOptions, createApp } from './http/app.ts';
export { parseTrustedProxies } from './http/client-address.ts';
export { type Listening, type ListenOptions, listen } from './http/listen.ts';
export { createMetrics } from './metrics/metrics.ts';
export { ServiceError } from './model/errors.ts';
export type { NewStore } from './operations/stores.ts';
export { startWriter, type Writer } from './start-worker.ts';
export {
  DatabaseSetupError,
  ForeignDatabaseError,
  NewerDatabaseError,
  StorageBusyError,
} from './storage/core/errors.ts';
export type { Storage } from './storage/core/storage.ts';
export { openStorage } from './storage/open-storage.ts';
export { isPostgresLocation, parseConnectionString } from './storage/postgres/connection-string.ts';
