import type { Intent } from '../../../src/history/records/request-intent.ts';

/** A backup that a command is about to request. */
export const backupIntent: Intent = {
  profile: 'main',
  origin: 'https://api.example.com',
  storeId: 'store-1',
  operation: 'backup.create',
  class: 'keyed',
  method: 'POST',
  path: '/v1/stores/store-1/operations/backups',
  body: '{"label":"nightly","idempotencyKey":"K"}',
};
