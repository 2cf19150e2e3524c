import * as z from 'zod';
import {
  color,
  filledText,
  formatted,
  mapKey,
  pattern,
  text,
  timeZone,
  uuid,
  webUrl,
} from './field-schemas.ts';

const currencies = new Set(Intl.supportedValuesOf('currency'));

const currency = () =>
  formatted((value) => currencies.has(value), 'must be an ISO 4217 currency such as EUR');

const slug = () =>
  pattern(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lowercase letters, digits or hyphens, without a hyphen at either end',
  );

const basisPoints = () => z.int().min(0).max(10_000);
const amount = () => z.int().min(0);

/** Null clears a nullable field. */
const settings = z.strictObject({
  supportEmail: z.email().max(254).nullable(),
  description: text(5000).nullable(),
  logoImageId: uuid().nullable(),
  faviconImageId: uuid().nullable(),
  brandColor: color().nullable(),
  thankYouDefault: text(2000).nullable(),
  cashbackBp: basisPoints(),
  cashbackCapMinor: amount().nullable(),
  cashbackRefundWindowDays: amount().nullable(),
  cashbackExpiryDays: amount().nullable(),
  liveStatsDefault: z.boolean(),
  discordUrl: webUrl().nullable(),
  maintenanceMessage: text(1000).nullable(),
  socials: z.record(mapKey(), webUrl()),
  checkout: z.strictObject({
    couponField: z.boolean(),
    termsRequired: z.boolean(),
    termsUrl: webUrl().nullable(),
    newsletterOptIn: z.boolean(),
    requireEmailVerificationForDelivery: z.boolean(),
    reservationMinutes: amount(),
  }),
  tax: z.strictObject({ rateBp: basisPoints() }),
});

export type StoreSettings = z.output<typeof settings>;

/** Settings of a new store. */
export const initialSettings: StoreSettings = {
  supportEmail: null,
  description: null,
  logoImageId: null,
  faviconImageId: null,
  brandColor: null,
  thankYouDefault: null,
  cashbackBp: 0,
  cashbackCapMinor: null,
  cashbackRefundWindowDays: null,
  cashbackExpiryDays: null,
  liveStatsDefault: false,
  discordUrl: null,
  maintenanceMessage: null,
  socials: {},
  checkout: {
    couponField: false,
    termsRequired: false,
    termsUrl: null,
    newsletterOptIn: false,
    requireEmailVerificationForDelivery: false,
    reservationMinutes: 15,
  },
  tax: { rateBp: 0 },
};

/** Fields of a store outside of its settings that a client may change. */
export const storeIdentity = z.strictObject({
  name: filledText(120),
  slug: slug(),
  defaultCurrency: currency(),
  timezone: timeZone(),
});

const readOnly = () =>
  z
    .unknown()
    .refine(() => false, { error: 'is read-only', params: { code: 'read_only' } })
    .optional();

/** Body of operation 1: any part of the store. Null removes a social profile. */
export const storePatch = z
  .strictObject({
    ...storeIdentity.partial().shape,
    settings: settings
      .extend({
        socials: z.record(mapKey(), webUrl().nullable()),
        checkout: settings.shape.checkout.partial(),
        tax: settings.shape.tax.partial(),
      })
      .partial()
      .optional(),
    id: readOnly(),
    organisationId: readOnly(),
    status: readOnly(),
    url: readOnly(),
    createdAt: readOnly(),
  })
  .refine((patch) => hasLeaf(patch), { error: 'must contain a field to change', params: { code: 'empty' } });

export type StorePatch = z.output<typeof storePatch>;

function hasLeaf(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  return Array.isArray(value) || Object.values(value).some(hasLeaf);
}
