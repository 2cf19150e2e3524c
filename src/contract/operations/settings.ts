import * as z from 'zod/mini';
import { described, lenientObject, named, textField, timestampText, uuidText } from '../fields.ts';
import { clockTimeForm, textForm, timeZoneForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { eventTypes } from './notifications.ts';

/** The message about an event. */
export const templateSettings = lenientObject({
  title: z.string(),
  body: z.string(),
  private: z.boolean(),
});

const groups = {
  quietHours: lenientObject({
    enabled: described(z.boolean(), 'Pause notifications during quiet hours'),
    start: textField('Start of quiet hours', { example: '22:00', form: clockTimeForm }),
    end: textField('End of quiet hours', { example: '07:00', form: clockTimeForm }),
    timezone: textField('Time zone of quiet hours', { example: 'Europe/Berlin', form: timeZoneForm }),
  }),
  templates: described(z.record(z.string(), templateSettings), 'Messages about events', {
    names: eventTypes,
  }),
  discovery: lenientObject({
    enabled: described(z.boolean(), 'List the store in discovery'),
    summary: textField('Summary of the store in discovery', { form: textForm(500) }),
    categories: described(z.array(z.string()), 'Categories of the store in discovery'),
  }),
  showcase: lenientObject({
    enabled: described(z.boolean(), 'Show the store in the showcase'),
    allowCritique: described(z.boolean(), 'Allow critique in the showcase'),
    summary: textField('Summary of the store in the showcase', { form: textForm(500) }),
  }),
  mobilePrivacy: lenientObject({
    hideRevenue: described(z.boolean(), 'Hide revenue on phones'),
    hideOrderValues: described(z.boolean(), 'Hide order values on phones'),
    requireUnlock: described(z.boolean(), 'Require unlocking on phones'),
  }),
};

/** Operations settings, section 2.6. */
const operationsSettings = named(
  lenientObject({
    ...groups,
    storeId: uuidText(),
    env: z.string(),
    updatedAt: timestampText(),
  }),
  'OperationsSettings',
  'The operations settings of a store.',
);

/** Fields that only the service sets. */
export const serverOwnedSettings: readonly string[] = ['storeId', 'env', 'updatedAt'];

/** The settings without those fields. */
export function clientFields(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !serverOwnedSettings.includes(name)));
}

const path = '/v1/stores/{storeId}/operations/settings';

export const showSettings = {
  id: 'settings.show',
  method: 'GET',
  path,
  summary: 'Show the operations settings',
  class: 'read',
  body: null,
  response: operationsSettings,
  service: { scope: 'settings:read', versioned: true },
} as const satisfies ServedOperation;

export const saveSettings = {
  id: 'settings.save',
  method: 'PUT',
  path,
  summary: 'Replace the operations settings; omitted groups are reset to their defaults',
  class: 'repeatable',
  body: lenientObject(groups),
  response: operationsSettings,
  service: {
    scope: 'settings:write',
    versioned: true,
    example: { quietHours: { enabled: true, start: '22:00', end: '07:00', timezone: 'Europe/Berlin' } },
  },
} as const satisfies ServedOperation;
