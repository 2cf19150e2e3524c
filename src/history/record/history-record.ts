import { type JsonObject, jsonOrText } from '../../base/json.ts';
import type { Problem } from '../../client/outcome/outcome.ts';
import type { HttpMethod, OperationClass } from '../../contract/operation.ts';

/** The operation of a request outside the contract. Its class is always `one-shot`. */
export const rawOperationId = 'api';

/**
 * How far a change got. `sent`: the intent is on disk, and no outcome yet; the request may have left this machine. The others are the
 * outcomes of the client, see `Outcome`.
 */
export const recordStates = ['sent', 'applied', 'rejected', 'not_sent', 'unknown'] as const;

export type RecordState = (typeof recordStates)[number];

/** The response of the service to the change, or to the read that settled it. */
export interface RecordedResponse {
  readonly status: number;
  /** The body of a success, byte for byte; null for a refusal. */
  readonly body: string | null;
  /** The problem of a refusal; null for a success. */
  readonly problem: Problem | null;
  readonly requestId: string | null;
  readonly etag: string | null;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The service has sent the response to an earlier request with the same key. */
  readonly replayed: boolean;
  /** Epoch milliseconds before which the service does not want to be asked again. */
  readonly retryAt: number | null;
  /** The response to the change was lost. This is the response to the read for proof. */
  readonly settledByReading: boolean;
}

/** A change as it is written to disk before the first byte of its request is sent. */
export interface Intent {
  /** Id of the operation in the contract, or {@link rawOperationId}. */
  readonly operation: string;
  readonly class: OperationClass;
  readonly method: HttpMethod;
  /** Path parameters other than `storeId`, UUIDs in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The path without a query, as `canonicalPath` writes it: two spellings of a path become one. */
  readonly path: string;
  /** Path and query as they are sent, because a raw request is sent as the user typed it. Null if that is `path`. */
  readonly requestTarget: string | null;
  readonly ifMatch: string | null;
  /** The exact text of the body: a second attempt sends the same bytes. {@link sentBody} parses it. */
  readonly body: string | null;
  /** The same for two commands that ask for the same, see intent.ts. */
  readonly fingerprint: string;
  /** The key in the body or in the header, see keys.ts. */
  readonly idempotencyKey: string | null;
  /** The values that the change replaces, as far as this machine knows them. `undo` puts them back. */
  readonly replaced: JsonObject | null;
  /** Id of the backup from before the change: of a restore, the one that undoes it; of a store update, one that the user was offered. */
  readonly safetyBackupId: string | null;
  /** Of an undo: id of the record that it undoes. */
  readonly undoes: string | null;
  /** Of a safety backup: the restore that it is taken for. A killed process may leave a log without the restore. */
  readonly safetyBackupFor: {
    readonly operation: string;
    readonly parameters: Intent['parameters'];
    readonly body: JsonObject;
  } | null;
}

/** The intent of one change, with its attempts and its outcome. `history show --json` prints these fields. */
export interface HistoryRecord extends Intent {
  /** `k3f9a2` for the change of a command, `k3f9a2.17` for the 17th of a batch, `k3f9a2.1` for a safety backup. */
  readonly id: string;
  /** Number of the log. Numbers order changes; clocks do not. */
  readonly number: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When the last attempt was started, in ISO 8601. */
  readonly sentAt: string;
  readonly profile: string;
  /** See `normalizeBaseUrl`; `demo` for the demo service. */
  readonly baseUrl: string;
  readonly storeId: string;
  readonly state: RecordState;
  /** The attempts of all commands that have sent the record. */
  readonly attempts: number;
  readonly response: RecordedResponse | null;
  /** Why the last attempt ended without a readable response; null if it did not. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Id of the later change that superseded this record, or null. A superseded record is never sent again. */
  readonly supersededBy: string | null;
  /**
   * Whether the record is in doubt, or its outcome has not been reported to the user. `resume` takes open records. The closing line of
   * the log names them.
   */
  readonly open: boolean;
  /** The request was lost in a damaged log, so the record stands for every command of its operation. */
  readonly requestLost: boolean;
}

/** The fields of a record that change after its intent was written. */
export type RecordChange = Pick<HistoryRecord, 'id'> &
  Partial<
    Pick<
      HistoryRecord,
      'state' | 'attempts' | 'sentAt' | 'response' | 'failure' | 'supersededBy' | 'safetyBackupId'
    >
  >;

/** A body is parsed once, whoever needs it. */
const parsedBodies = new WeakMap<object, { sent?: unknown; received?: unknown }>();

function parsedOnce(of: object, part: 'sent' | 'received', text: string | null): unknown {
  const parsed = parsedBodies.get(of) ?? {};
  if (!(part in parsed)) parsed[part] = jsonOrText(text);
  parsedBodies.set(of, parsed);
  return parsed[part];
}

/** The body of the request: as data, as text if it is not JSON, or null without one. */
export function sentBody(record: Pick<Intent, 'body'>): unknown {
  return parsedOnce(record, 'sent', record.body);
}

/** The body of the response: as data, as text if it is not JSON, or null without one. */
export function receivedBody({ response }: Pick<HistoryRecord, 'response'>): unknown {
  return response && parsedOnce(response, 'received', response.body);
}

/** The id of the object in the path, or null. A path has at most one besides the store's id. */
export function objectIdOf({ parameters }: Pick<Intent, 'parameters'>): string | null {
  return Object.values(parameters)[0] ?? null;
}

/** Whether the service may have applied the change, without proof, and no later change has superseded it. */
export function isInDoubt({ state, supersededBy }: Pick<HistoryRecord, 'state' | 'supersededBy'>): boolean {
  return (state === 'sent' || state === 'unknown') && supersededBy === null;
}

/** Whether the change was applied, or may have been. */
export function mayBeApplied(record: HistoryRecord): boolean {
  return record.state === 'applied' || isInDoubt(record);
}

/** Whether one record is later, by the numbers of the logs. In one log `k3f9a2.10` is after `k3f9a2.9`, and `k3f9a2` is the last. */
export function isAfter(one: HistoryRecord, other: HistoryRecord): boolean {
  if (one.number !== other.number) return one.number > other.number;
  const [log, place = 'Infinity'] = one.id.split('.');
  const [otherLog, otherPlace = 'Infinity'] = other.id.split('.');
  return log === otherLog && Number(place) > Number(otherPlace);
}

/** How long a change in doubt is sent again: services forget keys, often after 24 hours, and others change the same values. */
const resendMs = 20 * 3_600_000;

/** Whether a change in doubt is sent again only after a yes. A date in the future says nothing about the age, and counts as old. */
export function isTooOld({ createdAt }: Pick<HistoryRecord, 'createdAt'>, now: number): boolean {
  const age = now - Date.parse(createdAt);
  return !(age >= 0 && age < resendMs);
}

/** The id of the log that has the record. */
export function logIdOf(recordId: string): string {
  return recordId.split('.')[0] ?? recordId;
}
