import * as z from 'zod/mini';
import { asObject, parseJson } from '../../base/json.ts';
import { memoize } from '../../base/memoize.ts';
import { sha256 } from '../../base/sha256.ts';
import { canonicalId, canonicalPath } from '../../contract/operation.ts';
import { type ChecksumState, checksumState, serializeWithChecksum } from './checksum.ts';
import { recordIdPattern } from './outline.ts';

/**
 * The format that this version writes. Format 1 had no checksum; such a record is read, and gets one at its next write. A
 * change that an older version would misread needs a new number.
 */
export const recordFormat = 2 as const;

/** Operation of a request outside the contract. Nothing is known about it, so it is always one-shot. */
export const rawOperationId = 'api';

export const recordStates = ['prepared', 'sent', 'applied', 'rejected', 'not_sent', 'unknown'] as const;

/**
 * How far an operation got:
 * - `prepared`: on disk, no byte sent yet.
 * - `sent`: about to be sent, or sent, without a recorded answer.
 * - the other four are the outcomes of `src/client/outcome.ts`.
 */
export type RecordState = (typeof recordStates)[number];

/** Fields that earlier versions did not write. */
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z._default(z.nullable(schema), null);

/** Made on demand: most commands only write records. */
const recordSchema = memoize(() => {
  const problem = z.looseObject({
    status: z.int(),
    code: z.nullable(z.string()),
    message: z.string(),
    fields: z.array(z.looseObject({ path: z.string(), code: z.nullable(z.string()), detail: z.string() })),
  });
  const answer = z.looseObject({
    status: z.int(),
    /** The body of a success, as it was received. */
    body: z.nullable(z.string()),
    /** What a refusal said. */
    problem: orNull(problem),
    requestId: z.nullable(z.string()),
    etag: orNull(z.string()),
    receivedAt: z.iso.datetime(),
    /** The service says that it answered from an earlier request with the same key. */
    replayed: z.boolean(),
    /** Epoch milliseconds before which the service does not want to be asked again. */
    retryAt: orNull(z.number()),
    /** The operation's own answer was lost; this is what a later read showed. */
    settledByReading: z._default(z.boolean(), false),
  });
  return z.looseObject({
    format: z.literal([1, recordFormat]),
    id: z.string().check(z.regex(recordIdPattern)),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    /** When a request was last started. */
    sentAt: orNull(z.iso.datetime()),
    profile: z.string(),
    /** Scheme, host and port that it was sent to. */
    origin: z.string(),
    storeId: z.string(),
    /** Id of the operation in the contract, or {@link rawOperationId}. */
    operation: z.string(),
    class: z.enum(['read', 'repeatable', 'keyed', 'one-shot']),
    /** A version from before DELETE reports such a record as one that it cannot use, and leaves it alone. */
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** Path as it stands on the wire, parameters encoded. */
    path: z.string().check(z.startsWith('/')),
    ifMatch: orNull(z.string()),
    /** The exact body, as text. */
    body: z.nullable(z.string()),
    bodySha256: z.nullable(z.string()),
    /** See `fingerprint` in fingerprint.ts. */
    fingerprint: z.string(),
    idempotencyKey: z.nullable(z.string()),
    state: z.enum(recordStates),
    /** Requests that were started over all runs. */
    attempts: z.int().check(z.minimum(0)),
    answer: z.nullable(answer),
    /** Why the last run ended without a readable answer. */
    failure: z.nullable(z.looseObject({ code: z.string(), message: z.string() })),
    /** settings.save: the document as it was before, so that it can be put back. */
    former: orNull(z.string()),
    /** backup.restore: id of the backup that undoes it. */
    safetyBackupId: orNull(z.string()),
    /** The batch whose log it was written to first: it shares the lock of the batch. See batch/log-file.ts. */
    batch: orNull(z.string()),
    /** Whether the answer of an applied operation has reached the user. Records of the first format do not say. */
    reported: z._default(z.boolean(), true),
  });
});

/** One operation that changes something, as this machine knows it. Fields of other versions are kept. */
export type HistoryRecord = z.infer<ReturnType<typeof recordSchema>>;
export type HistoryAnswer = NonNullable<HistoryRecord['answer']>;

/** True if the service may have applied the operation without this machine knowing. */
export function mayHaveBeenApplied(record: Pick<HistoryRecord, 'state'>): boolean {
  return record.state === 'sent' || record.state === 'unknown';
}

/** Whether it was applied without the answer reaching the user. */
export function isUntold({ state, reported }: Pick<HistoryRecord, 'state' | 'reported'>): boolean {
  return state === 'applied' && !reported;
}

/** Milliseconds since the record was begun; never negative, whatever happened to the clock. */
export function recordAge(record: Pick<HistoryRecord, 'createdAt'>, now: number): number {
  return Math.max(0, now - Date.parse(record.createdAt));
}

/** Epoch milliseconds at which a record with this id was begun, to the second. */
export function timeOfId(id: string): number {
  return Date.parse(id.replace(/(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Name of the lock for a record, or for its whole batch. */
export function lockName({ id, batch }: Pick<HistoryRecord, 'id' | 'batch'>): string {
  return batch === null ? `record ${id}` : `batch ${batch}`;
}

/** The text of a record's file. */
export function serializeRecord(record: HistoryRecord): string {
  return serializeWithChecksum(record, 'file');
}

/** A record, or why it cannot be used: `message` continues the name of its file. */
export type ParsedRecord = { readonly record: HistoryRecord } | { readonly problem: RecordProblem };

interface RecordProblem {
  /** `newer`: written by a later version, and whole. */
  readonly kind: 'damaged' | 'newer';
  readonly message: string;
}

/** The record in the text of the file `<id>.json`. */
export function parseRecord(text: string, id: string): ParsedRecord {
  if (text.trim() === '') return damaged('is empty');
  const value = parseJson(text);
  if (value === undefined) return damaged('is not valid JSON (truncated?)');
  return checkRecord(value, checksumState(text), id);
}

/** As {@link parseRecord}, from the JSON value and the state of its checksum. */
export function checkRecord(value: unknown, checksum: ChecksumState, id: string): ParsedRecord {
  const { checksum: _, ...fields } = asObject(value);
  const { format } = fields;
  if (checksum === 'wrong' || (format !== 1 && checksum === 'none')) {
    return damaged('does not match its checksum');
  }
  if (typeof format === 'number' && format > recordFormat) {
    const message = `has format ${format} of a newer storectl version: update storectl`;
    return { problem: { kind: 'newer', message } };
  }
  const { success, data, error } = recordSchema().safeParse(fields);
  if (!success) return damaged(`has an invalid ${error.issues.map(({ path }) => path.join('.')).join(', ')}`);
  if (data.id !== id) return damaged(`contains record ${data.id}, which does not match its name`);
  if (data.bodySha256 !== (data.body === null ? null : sha256(data.body))) {
    return damaged('has a body that does not match its checksum');
  }
  return { record: withCanonicalIds(data) };
}

/**
 * Version 0.1.0 wrote ids as they were typed, so the same store and path may be in capitals. Its fingerprint stays: it
 * counts for a day.
 */
function withCanonicalIds(record: HistoryRecord): HistoryRecord {
  // The path of a request outside the contract is the user's.
  if (record.operation === rawOperationId) return { ...record, storeId: canonicalId(record.storeId) };
  return { ...record, storeId: canonicalId(record.storeId), path: canonicalPath(record.path) };
}

function damaged(message: string): ParsedRecord {
  return { problem: { kind: 'damaged', message } };
}
