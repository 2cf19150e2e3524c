import type { JsonObject } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';

/** A change that a caller asks for. The history has not recorded it yet. */
export interface ChangeRequest {
  readonly operation: Operation;
  /** Path parameters other than `storeId`. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  /** JSON text that is sent unchanged. `body` is then the object that the text parses to. */
  readonly bodyText?: string | undefined;
  readonly ifMatch?: string | null | undefined;
  /** The caller's own key: the same key is one effect. */
  readonly idempotencyKey?: string | undefined;
  /** The key that the read before the change had. The change has the same one, so that the `keys` of that read holds for the change. */
  readonly keyOfRead?: string | undefined;
  /** The values that the change replaces, if the caller has read them. */
  readonly replaced?: JsonObject | null | undefined;
  /** Id of a backup that the user took before the change, because it cannot be undone otherwise. */
  readonly safetyBackupId?: string | undefined;
  /** Of an undo: id of the record that it undoes. */
  readonly undoes?: string | null | undefined;
  /** Of an undo: ids of the later changes of the same that the user was shown. The undo is refused if there are others by now. */
  readonly seenLater?: readonly string[] | undefined;
  /** When the caller read the object, in epoch milliseconds. The change is refused if this machine has changed the object since. */
  readonly readAt?: number | undefined;
  /** Whether the guards are off: the change is sent although the same was sent before. */
  readonly allowDuplicate?: boolean | undefined;
  /** Whether an open record of the same command is left alone, and a new one begun. */
  readonly fresh?: boolean | undefined;
}
