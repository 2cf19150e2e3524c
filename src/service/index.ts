export { type App, type AppOptions, createApp } from './app.ts';
export {
  type DeliveryState,
  deliveryStates,
  type ListedDelivery,
  listDeliveries,
  retryAllDead,
  retryDelivery,
} from './delivery/operate.ts';
export { parseSink } from './delivery/send.ts';
export { type Deliveries, startDeliveries } from './delivery/start.ts';
export { emitEvent, type RaisedEvent, raisedEvents } from './emit.ts';
export { ServiceError } from './errors.ts';
export { describeStore, type ExampleStore, seedExampleStore } from './example-store.ts';
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
} from './keys.ts';
export { type Listening, listen } from './listen.ts';
export { type Preset, presets, type Scope, scopes } from './scopes.ts';
export {
  DatabaseSetupError,
  ForeignDatabaseError,
  NewerDatabaseError,
  StorageBusyError,
} from './storage/errors.ts';
export { isPostgresUrl, openStorage, type Storage } from './storage/storage.ts';
export { createStore, listStores, type NewStore } from './stores.ts';
