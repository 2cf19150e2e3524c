import * as z from 'zod';
import { countCodePoints } from './code-points.ts';
import { currencies, timeZones } from './iso-names.ts';
import { timestamp } from './time.ts';

/** Schemas of fields that several resources have. Lengths are in code points. */

/** Text that may be empty. No text may contain NUL, see `parseJsonObject`. */
export function text(max: number) {
  return z
    .string()
    .refine((value) => countCodePoints(value) <= max, {
      error: `must be at most ${max} characters long`,
      params: { code: 'too_long' },
      abort: true,
    })
    .meta({ maxLength: max, pattern: '^[^\\u0000]*$' });
}

/** Text that is not blank. */
export function filledText(max: number) {
  return text(max)
    .refine((value) => value.trim() !== '', { error: 'must not be empty', params: { code: 'too_short' } })
    .meta({ minLength: 1, pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$' });
}

/** A field that may be left out, which is the same as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** Text that passes a check of its format. `meta` describes the check in JSON Schema. */
function formatted(
  isValid: (value: string) => boolean,
  error: string,
  meta: Readonly<Record<string, unknown>>,
) {
  return z
    .string()
    .refine(isValid, { error, params: { code: 'invalid_format' } })
    .meta(meta);
}

export function pattern(expression: RegExp, error: string) {
  return z.string().regex(expression, error);
}

export const mapKeyPattern = /^(?!(?:__proto__|constructor|prototype)$)\P{Cc}{1,64}$/u;

/** A key of a map. */
export const mapKey = () =>
  pattern(mapKeyPattern, 'must have a name of 1 to 64 characters without control characters');

/** Of any version, since the contract does not say which. Stored in lower case. */
export const uuid = () => z.guid('must be a UUID').toLowerCase();

export const color = () => pattern(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #0a7cff');

/** Stricter than URL parsers: they skip spaces and line breaks and add slashes, others who read the text may not. */
export const webUrl = () =>
  pattern(
    /^https?:\/\/[^\s\p{Cc}/?#@\\]+(?:[/?#][^\s\p{Cc}]*)?$/u,
    'must be a URL that starts with http:// or https://',
  ).max(2048);

/** Names that Node knows besides these, such as US/Eastern, are valid too. */
export const timeZone = formatted(isTimeZone, 'must be an IANA time zone such as Europe/Berlin', {
  id: 'TimeZone',
  description: 'An IANA time zone',
  enum: timeZones,
});

/** ISO 4217. */
export const currency = formatted(
  (value) => currencies.includes(value),
  'must be an ISO 4217 currency such as EUR',
  { id: 'Currency', description: 'An ISO 4217 currency', enum: currencies },
);

const notATime = 'must be a time such as 2030-01-31T09:00:00Z';

/** Years of four digits in every time zone, so that they sort. */
const timeText = z.iso
  .datetime({ offset: true, error: notATime, abort: true })
  .regex(/^[1-8]/, notATime)
  .meta({ id: 'Time', format: 'date-time', description: 'A time with its offset from UTC' });

/** A time with an offset from UTC. Stored in UTC with milliseconds. */
export const time = () => timeText.transform((value) => timestamp(Date.parse(value)));

/** The key under which a request is applied once. */
export const idempotencyKey = () =>
  pattern(/^[!-~]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces');

/** A list of at most `max` items without duplicates. */
export function distinct<Item extends z.ZodType<string>>(item: Item, max: number) {
  return z
    .array(item)
    .max(max, { error: `must contain at most ${max} items`, abort: true })
    .superRefine((items, context) => {
      const seen = new Set<string>();
      for (const [index, value] of items.entries()) {
        if (seen.has(value)) {
          const params = { code: 'duplicate' };
          context.addIssue({ code: 'custom', path: [index], message: 'is a duplicate', params });
        }
        seen.add(value);
      }
    })
    .meta({ uniqueItems: true });
}

function isTimeZone(value: string): boolean {
  // Newer versions of Node accept offsets such as +01:00 as zones.
  if (!/^[A-Za-z]/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
