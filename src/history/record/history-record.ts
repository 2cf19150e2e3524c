import { type JsonObject, jsonOrText } from '../../base/json.ts';
import type { Problem } from '../../client/outcome/outcome.ts';
import type { HttpMethod, OperationClass } from '../../contract/operation.ts';

/** Operation of a request outside the contract. Nothing is known about it, so it is always one-shot. */
export const rawOperationId = 'api';

/**
 * How far a change got: `sent` is on disk before the first byte leaves this machine, and means that no outcome is recorded
 * yet; the others are the outcomes of `client/outcome/outcome.ts`.
 */
export const recordStates = ['sent', 'applied', 'rejected', 'not_sent', 'unknown'] as const;

export type RecordState = (typeof recordStates)[number];

/** What the service answered, or what a read showed. */
export interface RecordedResponse {
  readonly status: number;
  /** The body of a success, as it was received. */
  readonly body: string | null;
  /** What a refusal said. */
  readonly problem: Problem | null;
  readonly requestId: string | null;
  readonly etag: string | null;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The service says that it answered from an earlier request with the same key. */
  readonly replayed: boolean;
  /** Epoch milliseconds before which the service does not want to be asked again. */
  readonly retryAt: number | null;
  /** The change's own response was lost; this is what a later read showed. */
  readonly settledByReading: boolean;
}

/** The request of a change, as it is written down before its first byte is sent. */
export interface Intent {
  /** Id of the operation in the contract, or {@link rawOperationId}. */
  readonly operation: string;
  readonly class: OperationClass;
  readonly method: HttpMethod;
  /** Path parameters other than `storeId`, UUIDs in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Without a query, as `canonicalPath` writes it: requests for the same have the same one. */
  readonly path: string;
  /** Path and query as they are sent, where that is not `path`: a raw request is sent as it was typed. */
  readonly requestTarget: string | null;
  readonly ifMatch: string | null;
  /** The exact body, as text: the same bytes are sent again. {@link sentBody} has it as data. */
  readonly body: string | null;
  /** See intent.ts: the same for two commands that ask for the same. */
  readonly fingerprint: string;
  readonly idempotencyKey: string | null;
  /** What it replaces, as far as this machine knew, for undo. */
  readonly replaced: JsonObject | null;
  /** Of a restore: the backup that undoes it. */
  readonly safetyBackupId: string | null;
  /** Id of the record that it takes back. */
  readonly undoes: string | null;
  /** Of a safety backup: the request that it is taken for, in case that is never begun. */
  readonly safetyBackupFor: {
    readonly operation: string;
    readonly parameters: Intent['parameters'];
    readonly body: JsonObject;
  } | null;
}

/** One change, as this machine knows it. `history show --json` prints these fields. */
export interface HistoryRecord extends Intent {
  /** `k3f9a2` for the change of a command, `k3f9a2.17` for the 17th of a run with several. */
  readonly id: string;
  /** Number of its log. Numbers order changes, whatever the clock said. */
  readonly number: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When a request was last started. */
  readonly sentAt: string;
  readonly profile: string;
  /** See `normalizeBaseUrl`; `demo` for the demo service. */
  readonly baseUrl: string;
  readonly storeId: string;
  readonly state: RecordState;
  /** Requests that were started over all runs. */
  readonly attempts: number;
  readonly response: RecordedResponse | null;
  /** Why the last run ended without a readable response. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Id of a later change that makes this one's outcome irrelevant: it is never sent again. */
  readonly supersededBy: string | null;
  /**
   * Until its outcome has been reported to the user, and while it is in doubt. `resume` is for the open ones. It is not a field
   * of a line: the closing line of the log says it.
   */
  readonly open: boolean;
  /** Its request was lost in a damaged log, so it stands for every command of its operation. */
  readonly requestLost: boolean;
}

/** What changes in a record while its operation runs. */
export type RecordChange = Pick<HistoryRecord, 'id'> &
  Partial<
    Pick<
      HistoryRecord,
      'state' | 'attempts' | 'sentAt' | 'response' | 'failure' | 'supersededBy' | 'safetyBackupId'
    >
  >;

/** Texts are parsed once, however many look at them. */
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

/** The id in its path, or null: an operation has at most one besides the store's. */
export function objectIdOf({ parameters }: Pick<Intent, 'parameters'>): string | null {
  return Object.values(parameters)[0] ?? null;
}

/** True if the service may have applied the change without this machine knowing, and that still matters. */
export function isInDoubt({ state, supersededBy }: Pick<HistoryRecord, 'state' | 'supersededBy'>): boolean {
  return (state === 'sent' || state === 'unknown') && supersededBy === null;
}

/** Whether what it sets may be there. */
export function mayBeApplied(record: HistoryRecord): boolean {
  return record.state === 'applied' || isInDoubt(record);
}

/** By the numbers of their logs; in one log `k3f9a2.10` comes after `k3f9a2.9`, and the main one after all. */
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
