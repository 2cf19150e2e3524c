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
export { type CreatedKey, createKey, deleteExpiredKeys, type NewKey, revokeKey } from './keys.ts';
export { type Listening, listen } from './listen.ts';
export { type Preset, presets, type Scope, scopes } from './scopes.ts';
export { openStorage, type Storage } from './storage/storage.ts';
export { createStore, type NewStore } from './stores.ts';
