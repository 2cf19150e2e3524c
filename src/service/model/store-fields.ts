import * as z from 'zod';
import { hostSlugForm, hostSlugPattern } from '../../contract/forms.ts';
import {
  color,
  currency,
  email,
  filledLine,
  mapKey,
  pattern,
  socialProfile,
  text,
  timeZone,
  uuid,
  webUrl,
} from './field-schemas.ts';

const slug = () => pattern(63, hostSlugPattern, hostSlugForm.problem);

const basisPoints = () => z.int().min(0).max(10_000);
const amount = () => z.int().min(0);

/** Null clears a nullable field. */
const settings = z.strictObject({
  supportEmail: email().nullable(),
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
  socials: z.record(mapKey(), socialProfile()),
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
export const identityFields = z.strictObject({
  name: filledLine(120),
  slug: slug(),
  defaultCurrency: currency,
  timezone: timeZone,
});

const readOnly = () =>
  z
    .unknown()
    .refine(() => false, { error: 'is read-only', params: { code: 'read_only' } })
    .meta({ not: {} })
    .optional();

function notEmpty<Schema extends z.ZodType<object>>(schema: Schema): Schema {
  return schema
    .refine((value) => Object.keys(value).length > 0, {
      error: 'must contain a field to change',
      params: { code: 'empty' },
    })
    .meta({ minProperties: 1 });
}

/** Body of `store.update`: any part of the store. Null removes a social profile. */
export const storePatch = notEmpty(
  z.strictObject({
    ...identityFields.partial().shape,
    settings: notEmpty(
      settings
        .extend({
          socials: notEmpty(z.record(mapKey(), socialProfile().nullable())),
          checkout: notEmpty(settings.shape.checkout.partial()),
          tax: notEmpty(settings.shape.tax.partial()),
        })
        .partial(),
    ).optional(),
    id: readOnly(),
    organisationId: readOnly(),
    status: readOnly(),
    url: readOnly(),
    createdAt: readOnly(),
  }),
);

export type StorePatch = z.output<typeof storePatch>;
