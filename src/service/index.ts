export { type Preset, presets, type Scope, scopes } from '../contract/operations/scopes.ts';
export * from './admin/api-keys.ts';
export * from './admin/deliveries.ts';
export * from './admin/emit-event.ts';
export * from './admin/example-store.ts';
export * from './admin/objects.ts';
export * from './admin/prune.ts';
export * from './admin/stores.ts';
export { parseSink } from './delivery/send.ts';
export { type App, type AppOptions, createApp } from './http/app.ts';
export { parseTrustedProxies } from './http/request/client-address.ts';
export { type Listening, type ListenOptions, listen } from './http/server/listen.ts';
export { createMetrics } from './metrics/metrics.ts';
export { ServiceError } from './model/errors.ts';
export type { NewStore } from './operations/stores.ts';
export { startWriter, type Writer } from './start-writer.ts';
export { faultOf } from './storage/core/engine-errors.ts';
export * from './storage/core/errors.ts';
export type { Storage } from './storage/core/storage.ts';
export {
  type CopySummary,
  copyDatabase,
  NewerThanCopyError,
  restoreDatabase,
} from './storage/embedded/copies.ts';
export { createHealth } from './storage/health.ts';
export { openStorage } from './storage/open-storage.ts';
export { isPostgresLocation, parseConnectionString } from './storage/postgres/connection-string.ts';
