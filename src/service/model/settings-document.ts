import * as z from 'zod';
import { clockTimeForm, clockTimePattern } from '../../contract/forms.ts';
import {
  distinct,
  filledLine,
  lineOrDefault,
  mapKey,
  oneLine,
  pattern,
  text,
  textOrDefault,
  timeZone,
} from './field-schemas.ts';

const clockTime = () => pattern(5, clockTimePattern, clockTimeForm.problem);

const template = z.strictObject({
  title: lineOrDefault(256).default(''),
  body: textOrDefault(4096).default(''),
  private: z.boolean().default(false),
});

/** Groups of the settings. A group or field that is left out gets its default. */
const groups = {
  quietHours: group({
    enabled: z.boolean().default(false),
    start: clockTime().default('22:00'),
    end: clockTime().default('07:00'),
    timezone: timeZone.default('UTC'),
  }),
  templates: z
    .record(mapKey(), template)
    .nullish()
    .transform((templates) => templates ?? {}),
  discovery: group({
    enabled: z.boolean().default(false),
    summary: text(500).default(''),
    categories: distinct(filledLine(50), 20).default([]),
  }),
  showcase: group({
    enabled: z.boolean().default(false),
    allowCritique: z.boolean().default(false),
    summary: text(500).default(''),
  }),
  mobilePrivacy: group({
    hideRevenue: z.boolean().default(false),
    hideOrderValues: z.boolean().default(false),
    requireUnlock: z.boolean().default(false),
  }),
};

function group<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.strictObject(shape);
  return schema.nullish().transform((value) => value ?? schema.parse({}));
}

const settingsDocument = z.strictObject(groups);
export type SettingsDocument = z.output<typeof settingsDocument>;

/** Body of `settings.save`. Fields that the service sets are ignored, so that a client can send back what it has read. */
export const settingsInput = z
  .strictObject({
    ...groups,
    storeId: oneLine(100).optional(),
    env: oneLine(100).optional(),
    updatedAt: oneLine(100).optional(),
  })
  .transform(({ storeId: _, env: __, updatedAt: ___, ...document }): SettingsDocument => document);

const defaultSettings = settingsDocument.parse({});

/** Completes saved settings with defaults. They were validated when they were saved. */
export function documentOf(saved: Partial<SettingsDocument> | null): SettingsDocument {
  const document = saved ?? {};
  const { quietHours, templates, discovery, showcase, mobilePrivacy } = defaultSettings;
  return {
    quietHours: { ...quietHours, ...document.quietHours },
    templates: { ...templates, ...document.templates },
    discovery: { ...discovery, ...document.discovery },
    showcase: { ...showcase, ...document.showcase },
    mobilePrivacy: { ...mobilePrivacy, ...document.mobilePrivacy },
  };
}
