import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { deriveFlags } from '../../../src/cli/input/field-flags.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/contract/operations.ts';
import { newMachine } from '../../helpers/cli.ts';

/** The flags of each operation with a body, by the field that they set. */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'store update': {
    name: '--name',
    slug: '--slug',
    defaultCurrency: '--default-currency',
    timezone: '--timezone',
    'settings.supportEmail': '--support-email',
    'settings.description': '--description',
    'settings.logoImageId': '--logo-image-id',
    'settings.faviconImageId': '--favicon-image-id',
    'settings.brandColor': '--brand-color',
    'settings.thankYouDefault': '--thank-you-default',
    'settings.cashbackBp': '--cashback-bp',
    'settings.cashbackCapMinor': '--cashback-cap-minor',
    'settings.cashbackRefundWindowDays': '--cashback-refund-window-days',
    'settings.cashbackExpiryDays': '--cashback-expiry-days',
    'settings.liveStatsDefault': '--[no-]live-stats-default',
    'settings.discordUrl': '--discord-url',
    'settings.maintenanceMessage': '--maintenance-message',
    'settings.socials': '--social',
    'settings.checkout.couponField': '--[no-]checkout-coupon-field',
    'settings.checkout.termsRequired': '--[no-]checkout-terms-required',
    'settings.checkout.termsUrl': '--checkout-terms-url',
    'settings.checkout.newsletterOptIn': '--[no-]checkout-newsletter-opt-in',
    'settings.checkout.requireEmailVerificationForDelivery':
      '--[no-]checkout-require-email-verification-for-delivery',
    'settings.checkout.reservationMinutes': '--checkout-reservation-minutes',
    'settings.tax.rateBp': '--tax-rate-bp',
  },
  'blog create': {
    title: '--title',
    contentMd: '--content-md',
    slug: '--slug',
    excerpt: '--excerpt',
    coverImageId: '--cover-image-id',
    tags: '--tags',
    featuredProductIds: '--featured-product-ids',
    status: '--status',
    scheduledAt: '--scheduled-at',
    metaTitle: '--meta-title',
    metaDescription: '--meta-description',
  },
  'disputes decide': { status: '--status', resolution: '--resolution' },
  'settings save': {
    'quietHours.enabled': '--[no-]quiet-hours-enabled',
    'quietHours.start': '--quiet-hours-start',
    'quietHours.end': '--quiet-hours-end',
    'quietHours.timezone': '--quiet-hours-timezone',
    'discovery.enabled': '--[no-]discovery-enabled',
    'discovery.summary': '--discovery-summary',
    'discovery.categories': '--discovery-categories',
    'showcase.enabled': '--[no-]showcase-enabled',
    'showcase.allowCritique': '--[no-]showcase-allow-critique',
    'showcase.summary': '--showcase-summary',
    'mobilePrivacy.hideRevenue': '--[no-]mobile-privacy-hide-revenue',
    'mobilePrivacy.hideOrderValues': '--[no-]mobile-privacy-hide-order-values',
    'mobilePrivacy.requireUnlock': '--[no-]mobile-privacy-require-unlock',
  },
  'disputes open': {
    kind: '--kind',
    reason: '--reason',
    idempotencyKey: '--idempotency-key',
    orderId: '--order-id',
    buyerEmail: '--buyer-email',
    providerCaseId: '--provider-case-id',
    riskSignals: '--risk-signal',
    deadlineAt: '--deadline-at',
    appealDeadlineAt: '--appeal-deadline-at',
  },
  'backup create': { label: '--label', sections: '--sections', idempotencyKey: '--idempotency-key' },
  'backup restore': { sections: '--sections', idempotencyKey: '--idempotency-key' },
  'reclaim appeal': { text: '--text' },
  'notify add-endpoint': {
    kind: '--kind',
    name: '--name',
    url: '--url',
    events: '--events',
    enabled: '--[no-]enabled',
    'discordTemplate.title': '--discord-template-title',
    'discordTemplate.description': '--discord-template-description',
    'discordTemplate.color': '--discord-template-color',
  },
  'notify mark-read': { before: '--before' },
};

const commandOf = ({ id }: Operation) => id.replace('.', ' ');

/** Dotted paths of every leaf of a request body that one flag can hold: all but maps of objects. */
function leavesOf(schema: z.ZodMiniType, path: readonly string[] = []): string[] {
  const { def } = schema;
  if (def.type === 'optional' || def.type === 'nullable') {
    return leavesOf((schema as z.ZodMiniOptional<z.ZodMiniType>).def.innerType, path);
  }
  if (def.type === 'object') {
    return Object.entries((schema as z.ZodMiniObject).shape).flatMap(([name, inner]) =>
      leavesOf(inner as z.ZodMiniType, [...path, name]),
    );
  }
  return [path.join('.')];
}

test('every field of a request has a flag, but templates and the ids that are arguments', () => {
  for (const operation of operations) {
    if (operation.body === null) continue;
    const without =
      { 'settings.save': ['templates'], 'notify.mark-read': ['ids'] }[operation.id as string] ?? [];
    expect(Object.keys(table[commandOf(operation)] ?? {}).sort(), operation.id).toEqual(
      leavesOf(operation.body)
        .filter((path) => !without.includes(path))
        .sort(),
    );
  }
});

describe.each(Object.entries(table))('%s --help', (name, flags) => {
  test('shows the flag of each field', async () => {
    const { stdout } = await newMachine().run([...name.split(' '), '--help']);

    const fields = /\nFields:\n([\s\S]*?)\n\n/.exec(stdout)?.[1] ?? '';
    const shown = [...fields.matchAll(/^ {2}(--\S+)/gm)].map(([, flag]) => flag);
    expect(shown).toEqual(expect.arrayContaining(Object.values(flags)));
  });
});

test.each(
  operations.filter(({ body }) => body !== null).map((operation) => [operation.id, operation] as const),
)('%s: no two fields share a flag', (_, { body }) => {
  const flags = body === null ? [] : deriveFlags(body, { flatten: 'settings' }).map(({ flag }) => flag);

  expect(new Set(flags).size).toBe(flags.length);
});

test('which fields are required is what the contract says', () => {
  const required = Object.fromEntries(
    operations.flatMap(({ id, body }) =>
      body === null
        ? []
        : [
            [
              id,
              deriveFlags(body)
                .filter((field) => field.required)
                .map(({ flag }) => flag),
            ] as const,
          ],
    ),
  );

  expect(required).toEqual({
    'store.update': [],
    'blog.create': ['--title', '--content-md'],
    'disputes.decide': ['--status', '--resolution'],
    'settings.save': [],
    'disputes.open': ['--kind', '--reason', '--idempotency-key'],
    'backup.create': ['--label', '--sections', '--idempotency-key'],
    'backup.restore': ['--sections', '--idempotency-key'],
    'reclaim.appeal': ['--text'],
    'notify.add-endpoint': ['--kind', '--name', '--url', '--events'],
    'notify.mark-read': [],
  });
});
