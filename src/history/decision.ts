import type { RefusedError } from './record/errors.ts';
import type { HistoryRecord } from './record/history-record.ts';

/**
 * Why a record is left open:
 * - `running`: another process is sending the record.
 * - `too_old`: the record has been in doubt for 20 hours. It is sent again if the user agrees.
 * - `needs_yes`: the record is a restore, which replaces later values. It is sent again if the user agrees.
 * - `later_change`: sending the record again could overwrite a later change.
 * - `not_settled`: the read for proof did not show the change; see `proofResult`.
 * - `ask_user`: the change could be applied twice, so the user has to look at the store.
 * - `request_lost`: the request was lost in a damaged log, so the user has to look at the store.
 */
export type OpenReason =
  | 'running'
  | 'too_old'
  | 'needs_yes'
  | 'later_change'
  | 'not_settled'
  | 'ask_user'
  | 'request_lost';

/** A decision of the history about a change, with its reason. `--debug` prints it. */
export type HistoryDecision =
  /** A new log was begun: no earlier change is in the way. */
  | { readonly kind: 'begun'; readonly id: string }
  /** An earlier change of the same command is continued in place of a new one. */
  | { readonly kind: 'continued'; readonly record: HistoryRecord }
  | { readonly kind: 'refused'; readonly error: RefusedError }
  /** A resume sent the record again, settled it by a read, or reported its outcome. */
  | { readonly kind: 'sent' | 'settled' | 'reported'; readonly record: HistoryRecord }
  | { readonly kind: 'superseded'; readonly id: string; readonly by: string }
  | {
      readonly kind: 'left_open';
      readonly id: string;
      readonly reason: OpenReason | 'no_safety_backup';
      /** For `later_change`: the later change, and the dotted paths that both set. Else null. */
      readonly laterChange: { readonly record: HistoryRecord; readonly paths: readonly string[] } | null;
    };
