import { isObject } from '../../base/json.ts';
import { printable } from '../core/sanitize.ts';

/** `['settings', 'cashbackBp']` as a label for people: `Cashback`. Printable. */
export function labelOf(path: readonly string[]): string {
  const last = path.length - 1;
  const names = path
    .map((name, index) => (index < last ? name.replace(/^(template|social)s$/, '$1') : name))
    .map((name) => name.replace(/^reclaimId$/, 'reclaimNoticeId'))
    // The settings of the store; a section of a backup has that name too.
    .filter((name, index) => name !== 'settings' || index > 0 || index === last);
  const joined = names.join('.');
  if (Object.hasOwn(knownLabels, joined)) return knownLabels[joined] ?? joined;
  const words = names
    .map((name, index) =>
      index === names.length - 1 ? name.replace(/(?<=[a-z])(Bp|Minor|At|Md)$/, '') : name,
    )
    .flatMap((name) => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').split(' '))
    .map(
      (word) => knownWords.get(word.toLowerCase()) ?? (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word),
    );
  return upperFirst(printable(words.join(' ')));
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Leaves an abbreviation such as `URL` as it is. */
export function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Fields whose names are not what people say. If the value is `yes` or `no`, the label says what is the case. */
const knownLabels: Readonly<Record<string, string>> = {
  'checkout.newsletterOptIn': 'Checkout newsletter opt-in',
  'checkout.requireEmailVerificationForDelivery': 'Verified email required for delivery',
  'discordTemplate.color': 'Discord message color',
  'discordTemplate.description': 'Discord message text',
  'discordTemplate.title': 'Discord message title',
  ids: 'Notification IDs',
  keyBaseUrl: 'Key for',
  liveStatsDefault: 'Live statistics by default',
  'mobilePrivacy.hideOrderValues': 'Order values hidden on phones',
  'mobilePrivacy.hideRevenue': 'Revenue hidden on phones',
  'mobilePrivacy.requireUnlock': 'Unlock required on phones',
  scheduledAt: 'Scheduled for',
  'showcase.allowCritique': 'Critique allowed in showcase',
  thankYouDefault: 'Thank-you text',
};

const knownWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    env: 'environment',
    etag: 'ETag',
    id: 'ID',
    ids: 'IDs',
    ip: 'IP',
    organisation: 'organization',
    timezone: 'time zone',
    url: 'URL',
  }),
);

/** Fields of responses that only programs use. A person does not read them, and `--json` has them. */
export const fieldsForPrograms: readonly string[] = ['storeId', 'env', 'idempotencyKey'];

/** The object without {@link fieldsForPrograms}, unless it has no others. */
export function fieldsForPeople(body: unknown): unknown {
  if (!isObject(body)) return body;
  const shown = Object.entries(body).filter(([name]) => !fieldsForPrograms.includes(name));
  return shown.length === 0 ? body : Object.fromEntries(shown);
}

/** Names of colors in the palette that mark a value. */
export type Tone = 'green' | 'yellow' | 'red';

const statuses: Readonly<Record<Tone, readonly string[]>> = {
  green: ['won', 'published', 'applied', 'delivered', 'active'],
  yellow: ['open', 'scheduled', 'noticed', 'pending', 'in doubt'],
  red: ['lost', 'failed', 'rejected', 'revoked', 'expired'],
};

/** The color of a status, or of a deadline that is near; the words say the same. `now` is in epoch milliseconds. */
export function toneOf(name: string, value: unknown, now: number): Tone | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^(status|state)$/i.test(name)) {
    return (['green', 'yellow', 'red'] as const).find((tone) => statuses[tone].includes(value));
  }
  const left = /(deadline|expires)\w*$/i.test(name) ? Date.parse(value) - now : Number.NaN;
  if (left > 0 && left < 24 * hourMs) return 'red';
  return left > 0 && left < 72 * hourMs ? 'yellow' : undefined;
}

const hourMs = 3_600_000;
