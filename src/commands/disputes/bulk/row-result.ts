import type { Decision } from './decisions-file.ts';

/** What became of a row of the file. */
export type RowOutcome =
  /** Decided by this run. */
  | 'applied'
  /** The dispute already had this decision: nothing was sent. */
  | 'unchanged'
  /** An earlier run of this machine decided it, and it still is: nothing was sent. */
  | 'recorded'
  /** The same as an earlier row: nothing was sent. */
  | 'repeated'
  /** Decided differently, or not in the expected status. */
  | 'conflict'
  | 'not_found'
  /** The service refused to show it or to record the decision. */
  | 'rejected'
  /** The row itself is invalid. */
  | 'invalid'
  /** Sent, and no answer could be read. */
  | 'unknown'
  /** The user skipped it. */
  | 'skipped'
  /** The run stopped before this row. */
  | 'not_sent';

/** The result of a row, as `--output-file` has it. */
export interface RowResult {
  /** ISO 8601, UTC: when it was decided, else when this run came to it. */
  readonly at: string;
  readonly outcome: RowOutcome;
  /** Line of the decision in the file. */
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  /** The dispute record as read right before the decision, and the response. */
  readonly before: unknown;
  readonly after: unknown;
  readonly message: string;
  readonly profile: string;
  /** Public id of the key, or null if the key has none. */
  readonly keyId: string | null;
  readonly origin: string;
  readonly storeId: string;
  readonly requestId: string | null;
  /** Id of the history record. */
  readonly operationId: string | null;
}

/** The result of a row in short, as `--json` prints it. */
export function shortResult({ line, disputeId, decision, ...result }: RowResult) {
  const { outcome, message, requestId, operationId } = result;
  return { line, disputeId, status: decision?.status ?? null, outcome, message, requestId, operationId };
}
