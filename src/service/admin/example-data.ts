import type * as z from 'zod';
import type { SettingsDocument } from '../model/settings-document.ts';
import { initialSettings, type StoreSettings } from '../model/store-fields.ts';
import type { newDispute, newEvidence } from '../operations/disputes.ts';
import type { newEndpoint } from '../operations/endpoints.ts';
import type { newPost } from '../operations/posts.ts';
import type { newReclaim } from '../operations/reclaims.ts';

/** Content of the example store. All people, addresses and numbers are invented. */

export const exampleStoreSettings: StoreSettings = {
  ...initialSettings,
  supportEmail: 'hello@juniper-ink.example',
  description: 'Notebooks, inks and letter paper, bound and mixed by hand in Berlin.',
  brandColor: '#2f5d50',
  thankYouDefault: 'Thank you! Your parcel leaves the workshop within two days.',
  cashbackBp: 200,
  cashbackCapMinor: 1500,
  cashbackRefundWindowDays: 14,
  cashbackExpiryDays: 365,
  socials: {
    instagram: 'https://instagram.example/juniper.ink',
    discord: 'https://discord.gg/juniper-ink-example',
  },
  checkout: {
    ...initialSettings.checkout,
    termsRequired: true,
    termsUrl: 'https://juniper-ink.example/terms',
    reservationMinutes: 20,
  },
  tax: { rateBp: 1900 },
};

export const exampleSettings: Partial<SettingsDocument> = {
  quietHours: { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Berlin' },
  templates: {
    feedback_digest: { title: 'Feedback of the week', body: '{{summary}}', private: false },
    dispute_opened: { title: 'New dispute', body: 'A {{kind}} dispute needs a response.', private: true },
  },
  discovery: {
    enabled: true,
    summary: 'Handmade stationery from Berlin.',
    categories: ['stationery', 'handmade'],
  },
  mobilePrivacy: { hideRevenue: true, hideOrderValues: false, requireUnlock: true },
};

/** Oldest first. */
export const posts: readonly z.input<typeof newPost>[] = [
  {
    title: 'How we mix iron gall ink',
    excerpt: 'Four ingredients, three weeks, and one blackened spoon.',
    contentMd:
      '# How we mix iron gall ink\n\nOak galls, iron sulphate, gum arabic and rain water. The recipe is older than the printing press; the patience is the hard part.\n\n1. Crush the galls and let them stand for a week.\n2. Strain, and add the iron sulphate.\n3. Wait until it is *really* black.\n',
    tags: ['ink', 'workshop'],
    status: 'published',
  },
  {
    title: 'Autumn paper sampler',
    contentMd:
      '# Autumn paper sampler\n\nTwelve sheets from four mills, to be felt before they are bought. **Draft: photos to come.**\n',
    tags: ['paper'],
  },
];

export const wonCase: z.input<typeof newDispute> = {
  kind: 'payment',
  reason: 'Buyer says that the parcel never arrived.',
  idempotencyKey: 'example-won',
  orderId: '8c1f6f0e-5b7d-4a3c-9a52-6d1f0b7c2e11',
  buyerEmail: 'm.weber@mail.example',
  providerCaseId: 'PP-D-104822',
};

export const openCase: z.input<typeof newDispute> = {
  kind: 'payment',
  reason: 'Buyer does not recognize the charge of 84.50 EUR.',
  idempotencyKey: 'example-open',
  orderId: '1d9b6a34-0e6f-4b83-8a0c-93a5d2f4e7b8',
  buyerEmail: 'a.novak@mail.example',
  providerCaseId: 'PP-D-118301',
  riskSignals: { ipCountry: 'CZ', cardCountry: 'CZ', previousOrders: 3, addressMatches: true },
};

/** For the open dispute, oldest first. */
export const evidence: readonly (z.input<typeof newEvidence> & {
  readonly submittedBy: string;
  readonly daysAgo: number;
})[] = [
  {
    kind: 'tracking_number',
    label: 'Parcel number',
    textValue: '00340434161094042557',
    submittedBy: 'system',
    daysAgo: 1.9,
  },
  {
    kind: 'email_thread',
    label: 'Emails with the buyer',
    textValue: [
      'From: a.novak@mail.example',
      'To: hello@juniper-ink.example',
      'Subject: Order JI-2093',
      '',
      'Hello, could you add a gift note to my order? It is for my sister.',
      'Thanks, A. Novak',
      '',
      'From: hello@juniper-ink.example',
      'To: a.novak@mail.example',
      'Subject: Re: Order JI-2093',
      '',
      'Of course. What should it say? The parcel goes out tomorrow morning.',
      '',
      'From: a.novak@mail.example',
      'To: hello@juniper-ink.example',
      'Subject: Re: Re: Order JI-2093',
      '',
      '"For your letters to everyone but me." And the forest-green ribbon, please.',
      'It arrived on Tuesday, she loves it. Thank you so much!',
    ].join('\n'),
    submittedBy: 'owner',
    daysAgo: 1.5,
  },
  {
    kind: 'photo',
    label: 'Photo of the parcel at the door, by the carrier',
    storageKey: 'evidence/JI-2093/delivery-photo.jpg',
    submittedBy: 'owner',
    daysAgo: 1.4,
  },
  {
    kind: 'policy',
    label: 'Refund policy at the time of the order',
    textValue:
      'Unused items can be returned within 30 days; bottled ink only if unopened. We refund the original payment method within 5 days of receiving them.',
    submittedBy: 'owner',
    daysAgo: 1.2,
  },
];

export const reclaim: z.output<typeof newReclaim> = {
  subdomain: 'juniper-ink',
  reason: 'The name resembles a registered trade mark. Without an appeal the subdomain is withdrawn.',
};

export const webhook: z.input<typeof newEndpoint> = {
  kind: 'discord',
  name: 'Workshop channel',
  url: 'https://discord.com/api/webhooks/100000000000000000/example-token-that-opens-nothing',
  events: ['feedback_digest', 'dispute_opened', 'reclaim_noticed'],
  discordTemplate: { title: 'Juniper & Ink', color: '#2f5d50' },
};
