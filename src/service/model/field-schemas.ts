import * as z from 'zod';
import * as forms from '../../contract/forms.ts';
import { countCodePoints } from './code-points.ts';
import { currencies, timeZones } from './iso-names.ts';
import { timestamp } from './time.ts';

/** Schemas of fields that several resources have. Lengths are in code points. */

/** Characters that a text may not have, as in a regular expression. No text may contain NUL, see `parseJsonObject`. */
const notInText = '\\u0000';
const notInLine = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';

const ofText = `^[^${notInText}]*$`;
const ofLine = `^[^${notInLine}]*$`;
const filled = (without: string) => `^[^${without}]*[^\\s${without}][^${without}]*$`;

/**
 * Text of at most `max` code points. Nothing else looks at a longer one: to normalize or to match it can take so long that the whole
 * service stands still.
 */
function bounded(max: number, error = `must be at most ${max} characters long`, code = 'too_long') {
  return z
    .string()
    .refine((value) => value.length <= 2 * max && countCodePoints(value) <= max, {
      error,
      params: { code },
      abort: true,
    })
    .meta({ maxLength: max });
}

/** Text that may be empty. */
export function text(max: number) {
  return bounded(max).meta({ maxLength: max, pattern: ofText });
}

/**
 * Text in one line that may be empty, such as a title. It has no control characters: they could act on the terminal of
 * somebody who reads it, or look like a line that the program has written.
 */
export function oneLine(max: number) {
  return text(max)
    .regex(new RegExp(ofLine, 'u'), 'must be in one line, without control characters')
    .meta({ maxLength: max, pattern: ofLine });
}

const isFilled = (value: string) => value.trim() !== '';
const notEmpty = { error: 'must not be empty', params: { code: 'too_short' } };

/** Text that is not blank. */
export function filledText(max: number) {
  return text(max)
    .refine(isFilled, notEmpty)
    .meta({ maxLength: max, minLength: 1, pattern: filled(notInText) });
}

/** Text in one line that is not blank. */
export function filledLine(max: number) {
  return oneLine(max)
    .refine(isFilled, notEmpty)
    .meta({ maxLength: max, minLength: 1, pattern: filled(notInLine) });
}

const isEmptyOrFilled = (value: string) => value === '' || isFilled(value);
const notBlank = {
  error: 'must not be blank: leave it out or empty for the default',
  params: { code: 'blank' },
};

/** Text for which an empty one stands for a default: one of blanks, which nobody could read, is a mistake. */
export function textOrDefault(max: number) {
  return text(max)
    .refine(isEmptyOrFilled, notBlank)
    .meta({ maxLength: max, pattern: `^$|${filled(notInText)}` });
}

/** {@link textOrDefault} in one line. */
export function lineOrDefault(max: number) {
  return oneLine(max)
    .refine(isEmptyOrFilled, notBlank)
    .meta({ maxLength: max, pattern: `^$|${filled(notInLine)}` });
}

/** A field that may be left out, which is the same as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** Text of at most `max` code points that passes a check of its format. `meta` describes the check in JSON Schema. */
export function formatted(
  max: number,
  isValid: (value: string) => boolean,
  error: string,
  meta: Readonly<Record<string, unknown>>,
) {
  const code = 'invalid_format';
  return bounded(max, error, code)
    .refine(isValid, { error, params: { code } })
    .meta({ ...meta, maxLength: max });
}

/** Text of at most `max` code points that matches. */
export function pattern(max: number, expression: RegExp, error: string) {
  return bounded(max, error, 'invalid_format').regex(expression, { error, abort: true });
}

export const mapKeyPattern = /^(?!(?:__proto__|constructor|prototype)$)\P{Cc}{1,64}$/u;

/** A key of a map. */
export const mapKey = () =>
  pattern(64, mapKeyPattern, 'must have a name of 1 to 64 characters without control characters');

/** Of any version, since the contract does not say which. Stored in lower case. */
export const uuid = () => z.guid('must be a UUID').toLowerCase();

export const color = () => pattern(7, forms.colorPattern, forms.colorForm.problem);

export const webUrl = () => bounded(2048).regex(forms.webUrlPattern, forms.webUrlForm.problem);

/** A handle or a URL of a social profile. */
export const socialProfile = () =>
  bounded(2048).regex(
    forms.socialPattern,
    'must be a handle or a URL that starts with http:// or https://, in one line',
  );

/** Of at most 254 characters, as many as mail programs send to. */
export const email = () =>
  bounded(254).regex(z.regexes.email, 'must be an email address').meta({ format: 'email' });

/**
 * Names that Node knows besides these, such as US/Eastern, are valid too. No enumeration: a generated client could not send back
 * what it has read, which is a text.
 */
export const timeZone = formatted(100, forms.timeZoneForm.fits, forms.timeZoneForm.problem, {
  id: 'TimeZone',
  description: 'An IANA time zone',
  examples: timeZones,
});

/** ISO 4217. */
export const currency = formatted(3, (value) => currencies.includes(value), forms.currencyForm.problem, {
  id: 'Currency',
  description: 'An ISO 4217 currency',
  pattern: '^[A-Z]{3}$',
  examples: currencies,
});

const notATime = 'must be a time such as 2030-01-31T09:00:00Z';

/** Years of four digits in every time zone, so that they sort. */
const timeText = pattern(64, z.regexes.datetime({ offset: true }), notATime)
  .regex(/^[1-8]/, { error: notATime })
  .meta({ id: 'Time', format: 'date-time', description: 'A time with its offset from UTC' });

/** A time with an offset from UTC. Stored in UTC with milliseconds. */
export const time = () => timeText.transform((value) => timestamp(Date.parse(value)));

/** The key under which a request is applied once. */
export const idempotencyKey = () =>
  pattern(255, /^[!-~]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces');

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
