import type { JsonObject } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';

/** A change that is asked for, before it is recorded. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** Path parameters other than `storeId`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  /** JSON text to send as it is, instead of what `body` would become; `body` is then the object that it parses to. */
  readonly bodyText?: string | undefined;
  readonly ifMatch?: string | null | undefined;
  /** The caller's own key for the header: the same key is one effect. */
  readonly idempotencyKey?: string | undefined;
  /** The key that a read before the change was sent with, so that what it said about keys is about this change. */
  readonly keyOfRead?: string | undefined;
  /** The document that it replaces, where the caller has read it. */
  readonly replaced?: JsonObject | null | undefined;
  /** Id of a backup that was made before it, where it cannot be undone otherwise. */
  readonly safetyBackupId?: string | undefined;
  /** Id of the record that it takes back. */
  readonly undoes?: string | null | undefined;
  /** Of an undo: ids of the later changes that the user has seen. It is refused if there are others by now. */
  readonly seenLater?: readonly string[] | undefined;
  /** When the caller read what it is about, in epoch milliseconds: refused if that has changed since. */
  readonly readAt?: number | undefined;
  /** Send it although the same was sent before. */
  readonly allowDuplicate?: boolean | undefined;
  /** Do not continue an open record of the same command. */
  readonly fresh?: boolean | undefined;
}
