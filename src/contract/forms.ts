import { nearName } from '../base/nearest-name.ts';
import { isSlug, maxSlugLength, slugOf } from './slug.ts';

/**
 * What this repository's service takes as the value of a field. The contract does not show formats and bounds (sections 2 and 8), so
 * its schemas do not have them: the service checks its input by these forms, and the command line what a user enters.
 */
export interface Form {
  /** What is wrong with any other value, to follow the name of the field: `must be a color such as #0a7cff`. */
  readonly problem: string;
  /**
   * It is a bound, of a number or a length. The contract leaves those to the service (section 8), so only a question and a dry run go
   * by it.
   */
  readonly isBound?: true;
  /** Whether the service takes a value of the right type. */
  fits(value: unknown): boolean;
  /** The value that was probably meant, or null. */
  meant?(text: string): string | null;
}

function ofText(fits: (text: string) => boolean, problem: string, meant?: Form['meant']): Form {
  return { problem, fits: (value) => typeof value === 'string' && fits(value), ...(meant && { meant }) };
}

/** Names that Node knows, such as Europe/Berlin and US/Eastern. */
export const timeZoneForm = ofText(isTimeZone, 'must be an IANA time zone such as Europe/Berlin', (text) => {
  const zones = Intl.supportedValuesOf('timeZone');
  const typed = text.trim().replaceAll(' ', '_').toLowerCase();
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${typed}`)) ?? nearName(zones, typed);
});

function isTimeZone(text: string): boolean {
  // Newer versions of Node accept offsets such as +01:00 as zones.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** ISO 4217. Node knows some that are no longer used as well. */
export const currencyForm = ofText(
  (text) => /^[A-Z]{3}$/.test(text) && isCurrency(text),
  'must be an ISO 4217 currency such as EUR',
  (text) => (isCurrency(text.trim().toUpperCase()) ? text.trim().toUpperCase() : null),
);

const isCurrency = (code: string) => Intl.supportedValuesOf('currency').includes(code);

/**
 * Two hyphens in the third place begin a name in another script (RFC 5891), which could look like that of another store, and some
 * names are those of the platform.
 */
export const hostSlugPattern =
  /^(?!..--)(?!(?:admin|api|app|ftp|localhost|mail|smtp|www)$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A part of the address of the store. */
export const hostSlugForm = ofText(
  (text) => hostSlugPattern.test(text),
  'must be 1 to 63 lowercase letters, digits or hyphens, without a hyphen at either end or two as the third and fourth, and no reserved name such as www',
  (text) => {
    const slug = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const meant = slug.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
    return hostSlugPattern.test(meant) ? meant : null;
  },
);

/** The slug of a post, see {@link slugOf}. */
export const postSlugForm = ofText(
  isSlug,
  `must be 1 to ${maxSlugLength} lowercase letters and digits, with single hyphens between words`,
  (text) => slugOf(text) || null,
);

export const colorPattern = /^#[0-9a-fA-F]{6}$/;

export const colorForm = ofText(
  (text) => colorPattern.test(text),
  'must be a color such as #0a7cff',
  (text) => (colorPattern.test(`#${text.trim()}`) ? `#${text.trim()}` : null),
);

export const clockTimePattern = /^([01]\d|2[0-3]):[0-5]\d$/;

export const clockTimeForm = ofText(
  (text) => clockTimePattern.test(text),
  'must be a time of day such as 22:00',
  (text) => (clockTimePattern.test(`0${text.trim()}`) ? `0${text.trim()}` : null),
);

/** Stricter than URL parsers: they skip spaces and line breaks and add slashes, others who read the text may not. */
export const webUrlPattern = /^https?:\/\/[^\s\p{Cc}/?#@\\]+(?:[/?#][^\s\p{Cc}]*)?$/u;

/** A handle such as @shop, or a URL. Nothing else that a browser would open, such as `javascript:…`. */
export const socialPattern = new RegExp(
  String.raw`^(?![\s\p{Cc}]*[A-Za-z][A-Za-z0-9+.-]*:)[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$|${webUrlPattern.source}`,
  'u',
);

export const webUrlForm = ofText(
  (text) => webUrlPattern.test(text),
  'must be a URL that starts with http:// or https://',
);

/** Hundredths of a percent, up to 100 %. */
export const basisPointsForm: Form = {
  isBound: true,
  problem: 'must be 0 to 10000 basis points: 250 is 2.5 %',
  fits: (value) => Number(value) >= 0 && Number(value) <= 10_000,
};

/** How many of something. */
export const amountForm: Form = {
  isBound: true,
  problem: 'must be at least 0',
  fits: (value) => Number(value) >= 0,
};

/** A text of at most `max` code points; `isFilled`: not a blank one. */
export function textForm(max: number, { isFilled = false } = {}): Form {
  return {
    isBound: true,
    problem: `must have ${isFilled ? '1 to' : 'at most'} ${max} characters`,
    fits: (value) => hasAtMost(String(value), max) && (!isFilled || String(value).trim() !== ''),
  };
}

/** As {@link textForm}, in one line. */
export function lineForm(max: number, { isFilled = false } = {}): Form {
  const { fits, problem } = textForm(max, { isFilled });
  return {
    isBound: true,
    problem: `${problem}, in one line`,
    fits: (value) => fits(value) && !/[\p{Cc}\u2028\u2029]/u.test(String(value)),
  };
}

/** In code points, of which a text never has more than units. */
function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || [...text].length <= max;
}
