import * as z from 'zod/mini';
import {
  described,
  ifSet,
  lenientObject,
  named,
  oneOf,
  openObject,
  textField,
  timestampText,
  uuidText,
} from '../fields.ts';
import { lineForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { pageOf, pageQuery } from '../pages.ts';

/** What this repository's service backs up and restores. */
export const sectionNames = ['store', 'blog', 'settings', 'endpoints'] as const;

/** In code points. */
export const maxLabelLength = 120;

const sectionsTo = (what: string) =>
  described(
    z.array(oneOf(sectionNames)),
    `Sections to ${what}: store (name, currency, cashback…), blog, settings (quiet hours, templates…), endpoints`,
    { isUsuallyAll: true },
  );

/** Names of the fields that a restore changed. */
const changedFields = () => ifSet(lenientObject({ changed: z.array(z.string()) }));

/** How many objects a restore took away and brought back. */
const exchanged = () => ifSet(lenientObject({ removed: z.int(), returned: z.int() }));

const backupFields = {
  id: uuidText(),
  version: z.int(),
  label: z.string(),
  sections: z.array(oneOf(sectionNames)),
  createdAt: timestampText(),
};

/** Backup, section 2.5. */
export const backup = named(lenientObject(backupFields), 'Backup', 'A backup of some sections of a store.');

const isAutomatic = () => described(z.boolean(), 'Whether a restore made it, of what it replaced');

const listedBackup = named(
  lenientObject({ ...backupFields, automatic: isAutomatic() }),
  'ListedBackup',
  'A backup, and whether a restore made it.',
);

/** Fields that a restore would change. */
const changes = (scope: string) =>
  z.array(
    lenientObject({
      path: textField('Name of the field, with dots'),
      from: ifSet(described(z.unknown(), `Value now, null if it has none. Only for a key with ${scope}`)),
      to: ifSet(
        described(z.unknown(), `Value after a restore, null if it has none. Only for a key with ${scope}`),
      ),
    }),
  );

const shownBackup = named(
  lenientObject({
    ...backupFields,
    automatic: isAutomatic(),
    restoring: described(
      lenientObject({
        store: ifSet(
          lenientObject({
            changed: changes('store:read'),
            slugTaken: described(z.boolean(), 'Another store has its slug now, so that a restore is refused'),
          }),
        ),
        blog: exchanged(),
        settings: ifSet(lenientObject({ changed: changes('settings:read') })),
        endpoints: exchanged(),
      }),
      'What restoring each of its sections now would change',
    ),
  }),
  'ShownBackup',
  'A backup, and what restoring it now would change.',
);

export const createBackup = {
  id: 'backup.create',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/backups',
  summary: 'Back up sections of the store',
  class: 'keyed',
  body: openObject({
    label: textField('Label of the backup', { form: lineForm(maxLabelLength, { isFilled: true }) }),
    sections: sectionsTo('back up'),
    idempotencyKey: textField('Idempotency key: requests with the same key are applied only once'),
  }),
  response: backup,
  repeats: [{ field: 'label' }, { field: 'sections' }],
  service: {
    scope: 'backups:write',
    success: [201],
    example: { label: 'nightly', sections: ['store', 'blog'], idempotencyKey: 'nightly-2030-01-31' },
  },
} as const satisfies ServedOperation;

export const restoreBackup = {
  id: 'backup.restore',
  method: 'POST',
  path: '/v1/stores/{storeId}/operations/backups/{backupId}/restore',
  summary: 'Replace sections of the store with those of a backup',
  class: 'keyed',
  body: openObject({
    sections: sectionsTo('restore'),
    idempotencyKey: textField('Idempotency key: requests with the same key are applied only once'),
  }),
  /** Free-form, section 2.8. */
  response: z.looseObject({}),
  repeats: [{ field: 'backupId', parameter: 'backupId' }],
  service: {
    scope: 'backups:restore',
    response: named(
      lenientObject({
        backupId: uuidText(),
        preRestoreBackupId: described(uuidText(), 'Backup of what was replaced: restoring it undoes this'),
        sections: lenientObject({
          store: changedFields(),
          blog: exchanged(),
          settings: changedFields(),
          endpoints: exchanged(),
        }),
      }),
      'Restore',
      'What the restore changed.',
    ),
    conflicts: true,
    example: { sections: ['blog'], idempotencyKey: 'restore-2030-01-31' },
  },
} as const satisfies ServedOperation;

export const listBackups = {
  id: 'backup.list',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/backups',
  summary: 'List the backups, newest first',
  class: 'read',
  body: null,
  query: pageQuery({}),
  response: pageOf(listedBackup, 'Backup', 'Backups, newest first.'),
  isAddition: true,
  service: { scope: 'backups:read' },
} as const satisfies ServedOperation;

export const showBackup = {
  id: 'backup.show',
  method: 'GET',
  path: '/v1/stores/{storeId}/operations/backups/{backupId}',
  summary: 'Show a backup, and what restoring it now would change',
  class: 'read',
  body: null,
  response: shownBackup,
  repeats: [{ field: 'id', parameter: 'backupId' }],
  isAddition: true,
  service: { scope: 'backups:read' },
} as const satisfies ServedOperation;
