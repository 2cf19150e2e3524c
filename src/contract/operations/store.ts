import * as z from 'zod/mini';
import { described, ifSet, lenientObject, named, textField, timestampText, uuidText } from '../fields.ts';
import {
  amountForm,
  basisPointsForm,
  colorForm,
  currencyForm,
  hostSlugForm,
  lineForm,
  textForm,
  timeZoneForm,
  webUrlForm,
} from '../forms.ts';
import type { ServedOperation } from '../operation.ts';

const checkoutFields = {
  couponField: described(z.boolean(), 'Offer a coupon field at checkout'),
  termsRequired: described(z.boolean(), 'Require acceptance of the terms'),
  termsUrl: ifSet(textField('URL of the terms', { form: webUrlForm })),
  newsletterOptIn: described(z.boolean(), 'Offer the newsletter at checkout'),
  requireEmailVerificationForDelivery: described(z.boolean(), 'Deliver only to verified email addresses'),
  reservationMinutes: described(z.int(), 'Minutes that items in a cart stay reserved', { form: amountForm }),
};

const taxFields = {
  rateBp: described(z.int(), 'Tax rate', {
    remark: 'basis points: 1900 is 19 %',
    form: basisPointsForm,
  }),
};

const socialsText = 'Social profile of the store';
const socialsHint = { remark: 'name=URL' };

const settingsFields = {
  supportEmail: ifSet(described(z.email(), 'Email address that customers write to')),
  description: ifSet(textField('Description of the store', { form: textForm(5000) })),
  logoImageId: ifSet(described(uuidText(), 'Image used as the logo', { remark: 'UUID' })),
  faviconImageId: ifSet(described(uuidText(), 'Image used as the favicon', { remark: 'UUID' })),
  brandColor: ifSet(textField('Brand color of the store', { example: '#0a7cff', form: colorForm })),
  thankYouDefault: ifSet(
    textField('Thank-you text', { remark: 'shown after a purchase', form: textForm(2000) }),
  ),
  cashbackBp: described(z.int(), 'Cashback', { remark: 'basis points: 250 is 2.5 %', form: basisPointsForm }),
  cashbackCapMinor: ifSet(
    described(z.int(), 'Maximum cashback for one order', {
      remark: 'minor units, such as cents',
      form: amountForm,
    }),
  ),
  cashbackRefundWindowDays: ifSet(
    described(z.int(), 'Days within which a refund also reverses the cashback', { form: amountForm }),
  ),
  cashbackExpiryDays: ifSet(described(z.int(), 'Days until cashback expires', { form: amountForm })),
  liveStatsDefault: described(z.boolean(), 'Show live statistics by default'),
  discordUrl: ifSet(textField('Invite link of the Discord server', { form: webUrlForm })),
  maintenanceMessage: ifSet(
    textField('Maintenance message', { remark: 'shown while the store is closed', form: textForm(1000) }),
  ),
  socials: described(z.record(z.string(), z.string()), socialsText, socialsHint),
};

/** In a partial update, null removes an entry. */
const changedSocials = described(z.record(z.string(), z.nullable(z.string())), socialsText, socialsHint);

/** Store settings, section 2.1. */
const storeSettings = lenientObject({
  ...settingsFields,
  checkout: lenientObject(checkoutFields),
  tax: lenientObject(taxFields),
});

/** Store, section 2.1. */
const store = named(
  lenientObject({
    id: uuidText(),
    organisationId: uuidText(),
    name: z.string(),
    slug: z.string(),
    status: z.string(),
    defaultCurrency: z.string(),
    timezone: z.string(),
    settings: storeSettings,
    url: z.string(),
    createdAt: timestampText(),
  }),
  'Store',
  'A store with its settings.',
);

/** A partial update (section 4, note 1): null clears a field if the service allows it. */
export const updateStore = {
  id: 'store.update',
  method: 'PATCH',
  path: '/v1/stores/{storeId}',
  summary: 'Change settings of the store',
  class: 'repeatable',
  body: lenientObject({
    name: textField('Name of the store', { form: lineForm(120, { isFilled: true }) }),
    slug: textField('URL slug of the store', { form: hostSlugForm }),
    defaultCurrency: textField('Currency of the store', { example: 'EUR', form: currencyForm }),
    timezone: textField('Time zone of the store', { example: 'Europe/Berlin', form: timeZoneForm }),
    settings: lenientObject({
      ...settingsFields,
      socials: changedSocials,
      checkout: lenientObject(checkoutFields),
      tax: lenientObject(taxFields),
    }),
  }),
  response: store,
  service: {
    scope: 'store:write',
    conflicts: true,
    versioned: true,
    example: { name: 'Corner shop', settings: { brandColor: '#0a7cff', cashbackBp: 250 } },
  },
} as const satisfies ServedOperation;

export const showStore = {
  id: 'store.show',
  method: 'GET',
  path: '/v1/stores/{storeId}',
  summary: 'Show the store and its settings',
  class: 'read',
  body: null,
  response: store,
  repeats: [{ field: 'id', parameter: 'storeId' }],
  isAddition: true,
  service: { scope: 'store:read', versioned: true },
} as const satisfies ServedOperation;
