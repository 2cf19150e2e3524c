import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { findDrift } from '../../src/client/response/drift.ts';
import { createBackup, restoreBackup } from '../../src/contract/operations/backups.ts';
import { createBlogPost } from '../../src/contract/operations/blog.ts';
import { decideDispute, openDispute, showDispute } from '../../src/contract/operations/disputes.ts';
import { addEndpoint, markNotificationsRead } from '../../src/contract/operations/notifications.ts';
import { operations } from '../../src/contract/operations/operations.ts';
import { appealReclaim } from '../../src/contract/operations/reclaims.ts';
import { saveSettings, showSettings } from '../../src/contract/operations/settings.ts';
import { updateStore } from '../../src/contract/operations/store.ts';

/** The names in the tables of sections 2.1 to 2.7. */
const resources: readonly [name: string, schema: z.ZodMiniObject, fields: string][] = [
  [
    'Store',
    updateStore.response,
    'id organisationId name slug status defaultCurrency timezone settings url createdAt',
  ],
  [
    'Store settings',
    updateStore.response.shape.settings.def.innerType.def.innerType,
    'supportEmail description logoImageId faviconImageId brandColor thankYouDefault cashbackBp cashbackCapMinor ' +
      'cashbackRefundWindowDays cashbackExpiryDays liveStatsDefault discordUrl maintenanceMessage socials checkout tax',
  ],
  [
    'Blog post',
    createBlogPost.response,
    'id title slug excerpt contentMd coverImageId coverUrl coverImageUrl tags featuredProductIds status ' +
      'effectiveStatus publishedAt scheduledAt metaTitle metaDescription viewCount createdAt updatedAt',
  ],
  [
    'Dispute record',
    openDispute.response,
    'id storeId env orderId buyerEmail providerCaseId kind status reason riskSignals deadlineAt appealDeadlineAt ' +
      'resolution idempotencyKey createdAt updatedAt',
  ],
  [
    'Evidence item',
    showDispute.response.shape.evidence.def.innerType.def.innerType.def.element,
    'id kind label storageKey textValue submittedBy createdAt',
  ],
  ['Backup', createBackup.response, 'id version label sections createdAt'],
  [
    'Operations settings',
    showSettings.response,
    'quietHours templates discovery showcase mobilePrivacy storeId env updatedAt',
  ],
  [
    'Notification endpoint',
    addEndpoint.response,
    'id kind name url events enabled discordTemplate createdAt',
  ],
  ['Mark read', markNotificationsRead.response, 'ok'],
];

describe('responses', () => {
  test.each(resources)('%s has the fields of section 2', (_, schema, fields) => {
    expect(Object.keys(schema.shape)).toEqual(fields.split(' '));
  });

  test('checkout and tax have the fields of section 2.1', () => {
    const settings = updateStore.response.shape.settings.def.innerType.def.innerType.shape;

    expect(Object.keys(settings.checkout.def.innerType.def.innerType.shape)).toEqual([
      'couponField',
      'termsRequired',
      'termsUrl',
      'newsletterOptIn',
      'requireEmailVerificationForDelivery',
      'reservationMinutes',
    ]);
    expect(Object.keys(settings.tax.def.innerType.def.innerType.shape)).toEqual(['rateBp']);
  });

  test.each(operations.map(({ id, response }) => [id, response] as const))(
    '%s: an empty response, or one with an unknown field, is no drift, and the field is kept',
    (_, response) => {
      const answer = { surprise: { deep: [1, null] } };

      expect(findDrift({}, response)).toEqual([]);
      expect(findDrift(answer, response)).toEqual([]);
      expect(response.parse(answer)).toEqual(answer);
    },
  );

  test.each(resources)('%s: every field may be null', (_, schema, fields) => {
    const nulls = Object.fromEntries(fields.split(' ').map((name) => [name, null]));

    expect(findDrift(nulls, schema)).toEqual([]);
  });

  test('unknown fields are kept at every depth', () => {
    const answer = {
      settings: {
        cashbackBp: 1,
        loyalty: { tier: 3 },
        checkout: { oneClick: true },
        tax: { rateBp: 1, eu: {} },
      },
    };

    expect(updateStore.response.parse(answer)).toEqual(answer);
  });

  test('states and kinds that the spec does not know are no drift', () => {
    expect(findDrift({ status: 'frozen' }, updateStore.response)).toEqual([]);
    expect(findDrift({ status: 'x', effectiveStatus: 'live' }, createBlogPost.response)).toEqual([]);
    expect(findDrift({ record: { status: 'escalated', kind: 'fraud' } }, showDispute.response)).toEqual([]);
    expect(findDrift({ kind: 'slack', events: ['anything'] }, addEndpoint.response)).toEqual([]);
    expect(findDrift({ sections: ['orders'] }, createBackup.response)).toEqual([]);
  });

  test.each<[z.ZodMiniObject, unknown, string]>([
    [createBackup.response, { version: '3' }, 'version must be a number (got text)'],
    [createBackup.response, { sections: 'store' }, 'sections must be a list (got text)'],
    [createBackup.response, { id: 'backup-1' }, 'id must be a UUID'],
    [
      updateStore.response,
      { settings: { cashbackBp: 2.5 } },
      'settings.cashbackBp must be a whole number (got 2.5)',
    ],
    [updateStore.response, { settings: { socials: { x: 1 } } }, 'settings.socials.x must be text (got 1)'],
    [showDispute.response, { evidence: [{}, { kind: 7 }] }, 'evidence.1.kind must be text (got 7)'],
    [markNotificationsRead.response, { ok: 'yes' }, 'ok must be true or false (got text)'],
    [showSettings.response, ['no object'], 'body must be an object (got a list)'],
  ])('a wrong type is reported with its place (%#)', (schema, answer, line) => {
    expect(findDrift(answer, schema)).toEqual([expect.stringContaining(line)]);
  });

  test('the free-form answers of section 2.8 take any JSON object', () => {
    const answer = { anything: [{ at: 'all' }], n: 1.5, none: null };

    expect(restoreBackup.response.parse(answer)).toEqual(answer);
    expect(appealReclaim.response.parse(answer)).toEqual(answer);
  });
});

const uuid = '4be5c0de-0000-4000-8000-000000000001';

/** A body as small as each operation takes, and what of it is required. */
const smallest = [
  [updateStore, {}, []],
  [createBlogPost, { title: 't', contentMd: '' }, ['title', 'contentMd']],
  [decideDispute, { status: 'won', resolution: 'r' }, ['status', 'resolution']],
  [saveSettings, {}, []],
  [openDispute, { kind: 'payment', reason: 'r', idempotencyKey: 'k' }, ['kind', 'reason', 'idempotencyKey']],
  [
    createBackup,
    { label: 'l', sections: ['store'], idempotencyKey: 'k' },
    ['label', 'sections', 'idempotencyKey'],
  ],
  [restoreBackup, { sections: ['store'], idempotencyKey: 'k' }, ['sections', 'idempotencyKey']],
  [appealReclaim, { text: 't' }, ['text']],
  [
    addEndpoint,
    { kind: 'discord', name: 'n', url: 'https://host/x', events: ['feedback_digest'] },
    ['kind', 'name', 'url', 'events'],
  ],
  [markNotificationsRead, {}, []],
] as const;

describe('requests', () => {
  test.each(
    smallest.map(([operation, body, required]) => [operation.id, operation.body, body, required] as const),
  )(
    '%s takes the smallest body, and a field that the contract does not name as it is',
    (_, schema, body, required) => {
      const more = { ...body, surprise: { deep: [1, null] } };

      expect(schema.parse(body)).toEqual(body);
      expect(schema.parse(more)).toEqual(more);
      const missing = schema.safeParse({}).error?.issues.map(({ path }) => path.join('.')) ?? [];
      expect(missing).toEqual([...required]);
    },
  );

  test('a partial update takes null, which clears a field', () => {
    const body = { settings: { maintenanceMessage: null, checkout: null, cashbackBp: null } };

    expect(updateStore.body.parse(body)).toEqual(body);
  });

  test('UUIDs of every version are taken', () => {
    for (const id of [uuid, '00000000-0000-0000-0000-000000000000', '0190b6a5-7c3e-7f00-9d2e-1b2c3d4e5f60']) {
      expect(updateStore.body.safeParse({ settings: { logoImageId: id } }).success).toBe(true);
    }
  });
});

test('a text that is nearly a known value is a mistake, another one is not', () => {
  const post = (status: string) => createBlogPost.body.safeParse({ title: 'A', contentMd: 'x', status });

  for (const status of ['publish', 'Published']) {
    const message = `"${status}" looks mistyped (did you mean published?)`;
    expect(post(status).error?.issues).toMatchObject([{ path: ['status'], message }]);
  }
  for (const status of ['published', 'archived']) expect(post(status).success).toBe(true);
});
