import * as z from 'zod';
import { countCodePoints } from './code-points.ts';
import { timestamp } from './time.ts';

/** Schemas of fields that several resources have. Lengths are in code points. */

/** Text that may be empty. */
export function text(max: number) {
  return z.string().refine((value) => countCodePoints(value) <= max, {
    error: `must be at most ${max} characters long`,
    params: { code: 'too_long' },
    abort: true,
  });
}

/** Text that is not blank. */
export function filledText(max: number) {
  return text(max).refine((value) => value.trim() !== '', {
    error: 'must not be empty',
    params: { code: 'too_short' },
  });
}

/** Text that passes a check of its format. */
export function formatted(isValid: (value: string) => boolean, error: string) {
  return z.string().refine(isValid, { error, params: { code: 'invalid_format' } });
}

export function pattern(expression: RegExp, error: string) {
  return formatted((value) => expression.test(value), error);
}

/** A key of a map. */
export const mapKey = () =>
  pattern(/^\P{Cc}{1,64}$/u, 'must have a name of 1 to 64 characters without control characters');

/** Of any version, since the contract does not say which. Stored in lower case. */
export const uuid = () => z.guid('must be a UUID').toLowerCase();

export const color = () => pattern(/^#[0-9a-f]{6}$/i, 'must be a color such as #0a7cff');

export const webUrl = () => formatted(isWebUrl, 'must be a URL that starts with http:// or https://');

export const timeZone = () => formatted(isTimeZone, 'must be an IANA time zone such as Europe/Berlin');

const notATime = 'must be a time such as 2030-01-31T09:00:00Z';

/** A time with an offset from UTC. Stored in UTC with milliseconds. */
export const time = () =>
  z.iso
    .datetime({ offset: true, error: notATime })
    .transform((value) => timestamp(Date.parse(value)))
    // In UTC the year may be before 0 or after 9999, and such texts do not sort.
    .refine((value) => /^\d{4}-/.test(value), { error: notATime, params: { code: 'invalid_format' } });

/** The key under which a request is applied once. */
export const idempotencyKey = () =>
  pattern(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces');

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
    });
}

function isWebUrl(value: string): boolean {
  // URL parsers skip spaces and line breaks and add slashes. Others who read the stored text may not.
  return value.length <= 2048 && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value);
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
