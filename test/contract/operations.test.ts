import { expect, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';

// Section 4 of the contract; the class says what may be done if a response is lost.
test('the twelve operations, and how each may be repeated', () => {
  expect(
    operations.map(({ id, method, path, class: repeated }) => `${id} ${repeated} ${method} ${path}`),
  ).toEqual([
    'store.update repeatable PATCH /v1/stores/{storeId}',
    'blog.create one-shot POST /v1/stores/{storeId}/blog/posts',
    'disputes.decide one-shot POST /v1/stores/{storeId}/operations/disputes/{disputeId}/decision',
    'settings.show read GET /v1/stores/{storeId}/operations/settings',
    'settings.save repeatable PUT /v1/stores/{storeId}/operations/settings',
    'disputes.open keyed POST /v1/stores/{storeId}/operations/disputes',
    'disputes.show read GET /v1/stores/{storeId}/operations/disputes/{disputeId}',
    'backup.create keyed POST /v1/stores/{storeId}/operations/backups',
    'backup.restore keyed POST /v1/stores/{storeId}/operations/backups/{backupId}/restore',
    'reclaim.appeal one-shot POST /v1/stores/{storeId}/operations/subdomain-reclaims/{reclaimId}/appeal',
    'notify.add-endpoint one-shot POST /v1/stores/{storeId}/notifications/endpoints',
    'notify.mark-read repeatable POST /v1/stores/{storeId}/notifications/read',
  ]);
});
