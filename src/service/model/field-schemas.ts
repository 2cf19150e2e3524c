import * as z from 'zod';
import { countCodePoints } from './code-points.ts';
import { timestamp } from './time.ts';

/** Kinds of field that more than one resource has. Lengths are in code points. */

/** Text that may be empty. */
export function text(max: number) {
  return z.string().refine((value) => countCodePoints(value) <= max, {
    error: `must have at most ${max} characters`,
    params: { code: 'too_long' },
    abort: true,
  });
}

/** Text that says something. */
export function filledText(max: number) {
  return text(max).refine((value) => value.trim() !== '', {
    error: 'must not be empty',
    params: { code: 'too_short' },
  });
}

export function pattern(expression: RegExp, detail: string) {
  return z.string().refine((value) => expression.test(value), {
    error: detail,
    params: { code: 'invalid_format' },
  });
}

/** Any version: the contract does not say which. Answered and stored in lower case. */
export const uuid = () => z.guid('must be a UUID').toLowerCase();

export const color = () => pattern(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0a7cff');

export const webUrl = () =>
  z.string().refine((value) => isWebUrl(value), {
    error: 'must be an address that starts with http:// or https://',
    params: { code: 'invalid_format' },
  });

export const timeZone = () =>
  z.string().refine((value) => isTimeZone(value), {
    error: 'must be an IANA time zone such as Europe/Berlin',
    params: { code: 'invalid_format' },
  });

const notATime = 'must be a time such as 2030-01-31T09:00:00Z';

/** A time with its offset from UTC. Read as UTC with milliseconds. */
export const time = () =>
  z.iso
    .datetime({ offset: true, error: notATime })
    .transform((value) => timestamp(Date.parse(value)))
    // In UTC it may be a year before 0 or after 9999, whose texts do not sort with the others.
    .refine((value) => /^\d{4}-/.test(value), { error: notATime, params: { code: 'invalid_format' } });

/** The key under which a request is applied once. */
export const idempotencyKey = () =>
  pattern(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces');

/** At most `max` items, no two alike. */
export function distinct<Item extends z.ZodType<string>>(item: Item, max: number) {
  return z
    .array(item)
    .max(max, { error: `must have at most ${max} items`, abort: true })
    .superRefine((items, context) => {
      const seen = new Set<string>();
      for (const [index, value] of items.entries()) {
        if (seen.has(value)) {
          const params = { code: 'duplicate' };
          context.addIssue({ code: 'custom', path: [index], message: 'occurs twice', params });
        }
        seen.add(value);
      }
    });
}

function isWebUrl(value: string): boolean {
  // Parsers pass over spaces and line breaks, and add slashes: what is stored is to be an address to others too.
  return value.length <= 2048 && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(value) && URL.canParse(value);
}

function isTimeZone(value: string): boolean {
  // Newer engines take offsets such as +01:00 as zones.
  if (!/^[A-Za-z]/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
