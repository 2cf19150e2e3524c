import { isTypo } from '../../../base/nearest-name.ts';
import { notTogether, usageError } from '../../../cli/core/errors.ts';
import { optionValue, optionValues, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { slugOf } from '../../../contract/slug.ts';
import { heldNames, type Mapping } from '../post/map-fields.ts';
import { leaveOut, sendOption, slugPrefix, timezone } from './file-options.ts';

/** What the options say. Throws exit 2. */
export function readMapping(parsed: ParsedCommand, common: Mapping['common'], now: number): Mapping {
  const prefix = optionValue(parsed, slugPrefix) ?? '';
  if (prefix !== '' && slugOf(prefix) === '')
    throw usageError(`${slugPrefix} needs a letter or digit`, 'for example de-');
  if (prefix !== '' && 'slug' in common) throw notTogether('--slug', slugPrefix);
  return {
    now,
    timeZone: readZone(optionValue(parsed, timezone) ?? 'UTC'),
    slugPrefix: prefix,
    send: namesIn(parsed, sendOption).map(checkSent),
    leaveOut: namesIn(parsed, leaveOut).map(checkLeftOut),
    common,
  };
}

function namesIn(parsed: ParsedCommand, flag: string): string[] {
  return optionValues(parsed, flag)
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter(Boolean);
}

function readZone(name: string): string {
  try {
    if (/^[A-Za-z]/.test(name))
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // Not a time zone.
  }
  throw usageError(`unknown time zone "${name}"`, `use an IANA name, for example ${timezone} Europe/Berlin`);
}

/** The contract's own fields that storectl decides on, because a draft has to stay one. */
const decided = ['status', 'publishedAt', 'scheduledAt', 'contentMd'];

function checkSent(name: string): string {
  const own = decided.find((one) => one.toLowerCase() === name.toLowerCase());
  if (own === undefined) return name;
  throw usageError(`${sendOption} ${own}: it is sent already`, 'name a field that would be left out');
}

/** A typo would send what the user holds back. */
function checkLeftOut(name: string): string {
  const lower = name.toLowerCase();
  if (heldNames.some((one) => one.toLowerCase() === lower)) return name;
  const meant = heldNames.find((one) => isTypo(one.toLowerCase(), lower));
  const next =
    meant === undefined ? 'other fields of the front matter are left out anyway' : `did you mean ${meant}?`;
  throw usageError(`${leaveOut} ${name}: not a field that can be left out`, next);
}
