import * as z from 'zod/mini';
import { described, lenientObject, openObject, text, timestamp, uuid } from '../fields.ts';
import type { Operation } from '../operation.ts';

/** Backup, section 2.5. */
export const backup = lenientObject({
  id: uuid(),
  version: z.int(),
  label: z.string(),
  sections: z.array(z.string()),
  createdAt: timestamp(),
});

export const createBackup = {
  id: 'backup.create',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/backups',
  summary: 'Back up sections of the store',
  class: 'keyed',
  body: openObject({
    label: text('Name of the backup'),
    sections: described(z.array(z.string()), 'Sections to back up, for example store'),
    idempotencyKey: text('Key under which the service applies this request once'),
  }),
  response: backup,
} as const satisfies Operation;

export const restoreBackup = {
  id: 'backup.restore',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/backups/{backupId}/restore',
  summary: 'Restore sections of a backup over what the store has now',
  class: 'keyed',
  body: openObject({
    sections: described(z.array(z.string()), 'Sections to restore, for example store'),
    idempotencyKey: text('Key under which the service applies this request once'),
  }),
  /** Free-form, section 2.8. */
  response: z.looseObject({}),
} as const satisfies Operation;
