import { sha256 } from '../../base/sha256.ts';
import { buildPath, type Operation } from '../../contract/operation.ts';
import { HistoryError } from '../errors.ts';
import { fingerprint, keyOf } from './fingerprint.ts';
import { type HistoryRecord, recordFormat } from './record.ts';

/** Which operation is sent where. */
export interface Target {
  readonly operation: Operation;
  readonly profile: string;
  readonly origin: string;
  readonly storeId: string;
  /** Path parameters other than `storeId`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** What a command adds to its target and body. */
export interface IntentDetails {
  /** JSON text to send as it is, instead of what `body` would become; `body` is then the object that it parses to. */
  readonly bodyText?: string | undefined;
  readonly ifMatch?: string | null | undefined;
  /** See HistoryRecord. */
  readonly former?: string | null | undefined;
  readonly safetyBackupId?: string | null | undefined;
}

/** What is about to be sent. `id` is from {@link History.newId}, where the caller needs it beforehand. */
export type Intent = Readonly<
  Pick<HistoryRecord, 'profile' | 'origin' | 'storeId' | 'operation' | 'class' | 'method' | 'path' | 'body'> &
    Partial<Pick<HistoryRecord, 'id' | 'ifMatch' | 'former' | 'safetyBackupId'>>
>;

/** The intent of a command, with `body` as it is to be sent. */
export function intentOf(
  command: Target & IntentDetails,
  body: Readonly<Record<string, unknown>> | null,
): Intent {
  const { operation, profile, origin, storeId, parameters, bodyText, ifMatch, former, safetyBackupId } =
    command;
  return {
    profile,
    origin,
    storeId,
    operation: operation.id,
    class: operation.class,
    method: operation.method,
    path: buildPath(operation, { ...parameters, storeId }),
    body: bodyText ?? (body && JSON.stringify(body)),
    ifMatch: ifMatch ?? null,
    former: former ?? null,
    safetyBackupId: safetyBackupId ?? null,
  };
}

/** 32 letters and digits, without those that are easily taken for another. */
const ID_LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** See `recordIdPattern`. `now` is in epoch milliseconds, `random` are six bytes. */
export function newRecordId(now: number, random: Uint8Array): string {
  // 2026-11-21T05:30:12.000Z
  const time = new Date(now).toISOString().replace(/[-:]/g, '');
  let letters = '';
  for (const byte of random) letters += ID_LETTERS[byte % ID_LETTERS.length];
  return `${time.slice(0, 8)}-${time.slice(9, 15)}-${letters}`;
}

/** An intent, with what stands for its body. */
export type FingerprintedIntent = Intent &
  Pick<HistoryRecord, 'bodySha256' | 'fingerprint' | 'idempotencyKey'>;

export function fingerprintIntent(intent: Intent): FingerprintedIntent {
  return {
    ...intent,
    bodySha256: intent.body === null ? null : sha256(intent.body),
    fingerprint: fingerprint(intent),
    idempotencyKey: keyOf(intent.body),
  };
}

/** The record of an intent, `prepared`. */
export function newRecord(intent: FingerprintedIntent, id: string, now: number): HistoryRecord {
  const at = new Date(now).toISOString();
  return {
    format: recordFormat,
    id,
    createdAt: at,
    updatedAt: at,
    sentAt: null,
    profile: intent.profile,
    origin: intent.origin,
    storeId: intent.storeId,
    operation: intent.operation,
    class: intent.class,
    method: intent.method,
    path: intent.path,
    ifMatch: intent.ifMatch ?? null,
    body: intent.body,
    bodySha256: intent.bodySha256,
    fingerprint: intent.fingerprint,
    idempotencyKey: intent.idempotencyKey,
    state: 'prepared',
    attempts: 0,
    answer: null,
    failure: null,
    former: intent.former ?? null,
    safetyBackupId: intent.safetyBackupId ?? null,
    batch: null,
    reported: false,
  };
}

/** Shorter strings would turn up in a body by chance; no real key is that short. */
const SHORTEST_SECRET = 8;

/** Throws a HistoryError `secret_in_record` when the intent holds one of the secrets. */
export function refuseSecrets(intent: Intent, secrets: readonly string[]): void {
  const texts = [intent.path, intent.body, intent.ifMatch, intent.former].join('\n');
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (secret.length < SHORTEST_SECRET || !(texts.includes(secret) || texts.includes(escaped))) continue;
    const message = 'the request contains the API key; nothing was sent';
    throw new HistoryError('secret_in_record', message);
  }
}
