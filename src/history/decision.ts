import type { RefusedError } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';

/**
 * Why a record is left as it is:
 * - `running`: another process works on it.
 * - `too_old`: it has been in doubt for 20 hours; `needs_yes`: it destroys what was changed since. Both are sent if confirmed.
 * - `later_change`: sending it could overwrite a later change.
 * - `not_settled`: a read did not show it; `proofResult` says what it showed.
 * - `ask_user`: it cannot be sent twice, and only the user can find out; `request_lost`: a damaged log has lost the request.
 */
export type LeftReason =
  | 'running'
  | 'too_old'
  | 'needs_yes'
  | 'later_change'
  | 'not_settled'
  | 'ask_user'
  | 'request_lost';

/** What the history decided about a change, and why: `--debug` says it. */
export type Decision =
  /** No earlier change stood in its way. */
  | { readonly kind: 'begun'; readonly id: string }
  /** In place of a new change, an earlier one of the same command: sent again if it is in doubt, else reported. */
  | { readonly kind: 'continued'; readonly record: HistoryRecord }
  | { readonly kind: 'refused'; readonly error: RefusedError }
  /** Sent again, or settled by a read; or its outcome was known. */
  | { readonly kind: 'sent' | 'settled' | 'reported'; readonly record: HistoryRecord }
  | { readonly kind: 'superseded'; readonly id: string; readonly by: string }
  | {
      readonly kind: 'left';
      readonly id: string;
      readonly reason: LeftReason | 'no_safety_backup';
      /** Of `later_change`: the change that stands in the way, and what both set, as dotted paths. */
      readonly later: { readonly record: HistoryRecord; readonly paths: readonly string[] } | null;
    };
