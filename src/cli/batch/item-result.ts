import type { HistoryRecord } from '../../history/journal/history-record.ts';
import type { CliError, Step } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { describeItem } from '../output/failure-text.ts';

/**
 * The outcome of an item of a batch, as `--json` prints it:
 * - `applied`: this run did it; `exists`: it was so before, and nothing was sent.
 * - `failed`: refused, by the service or before it was sent. `unknown`: it may have been applied.
 * - `skipped`: the user did not want it. `not_sent`: the run ended before it.
 */
export type ItemOutcome = 'applied' | 'exists' | 'failed' | 'unknown' | 'skipped' | 'not_sent';

export interface ItemResult {
  readonly outcome: ItemOutcome;
  /** Stable name of the reason, or null if there is nothing to explain. */
  readonly code: string | null;
  /** The reason in one line; empty if there is nothing to explain. */
  readonly message: string;
  /** The reason without the id of the record, where the service has refused or not answered. */
  readonly reason?: string | undefined;
  /** What to do about it, said once for all items with the same: `fix these rows`. */
  readonly remedy: readonly Step[];
  readonly exitCode: ExitCode;
  readonly requestId: string | null;
  /** The change, by this run or an earlier one. */
  readonly record: HistoryRecord | null;
}

/** The result of an item of a plan that is known before anything is sent, or null: then `plan` is what will be done. */
export function knownResult({ plan }: { readonly plan: string | ItemResult }): ItemResult | null {
  return typeof plan === 'string' ? null : plan;
}

/** What `--json` prints of the result of any item. */
export function resultDocument({ outcome, code, message, requestId, record }: ItemResult) {
  return { outcome, code, message, requestId, operationId: record?.id ?? null };
}

/** The words for a kind of items. */
export interface BatchWords {
  readonly one: string;
  readonly many: string;
  /** Begins the first line of a success: `Created`. */
  readonly done: string;
  readonly applied: string;
  /** Items of a plan that cannot be sent: `row with an error`, `rows with errors`. */
  readonly wrong: readonly [one: string, many: string];
  /** After one, and after several: `already exists`, `already exist`. */
  readonly exists: readonly [one: string, many: string];
  /** Items that are left out, where the user did not skip them: `row repeats another`, `rows repeat others`. */
  readonly skipped?: readonly [one: string, many: string];
  /** Why the same command continues: `posts that exist are skipped`. Null if it does not. */
  readonly again: string | null;
}

export function makeResult(
  outcome: ItemOutcome,
  { record = null, ...more }: Partial<Omit<ItemResult, 'outcome'>> = {},
): ItemResult {
  return {
    outcome,
    code: null,
    message: '',
    remedy: [],
    exitCode: outcome === 'unknown' ? exitCodes.unknown : exitCodes.done,
    requestId: record?.response?.requestId ?? null,
    record,
    ...more,
  };
}

/** The result of an item whose sending has thrown an error for the user. */
export function resultOfError({ failure }: CliError, record: HistoryRecord | null = null): ItemResult {
  const { code, exitCode, requestId = null, outcome, operationId } = failure;
  const isUnknown = outcome === 'unknown';
  return makeResult(isUnknown ? 'unknown' : concernsOneItem(exitCode) ? 'failed' : 'not_sent', {
    code,
    exitCode,
    message: describeItem(failure, record?.id ?? operationId),
    reason: failure.reason,
    remedy: isUnknown ? settleDoubts : [],
    requestId,
    record,
  });
}

export const settleDoubts: readonly Step[] = [{ run: ['resume'], rest: 'to settle what is in doubt' }];

/** Whether an error concerns one item only, so that the batch can continue. */
export function concernsOneItem(code: ExitCode): boolean {
  return (
    code === exitCodes.usage ||
    code === exitCodes.notFound ||
    code === exitCodes.conflict ||
    code === exitCodes.rejected
  );
}

const order: readonly ItemOutcome[] = ['applied', 'exists', 'failed', 'unknown', 'skipped', 'not_sent'];

/** The word for an outcome: `created`, `already exist`, `in doubt`. */
export function wordOf(outcome: ItemOutcome, words: BatchWords, count = 1): string {
  const all: Readonly<Record<ItemOutcome, string>> = {
    applied: words.applied,
    exists: words.exists[count === 1 ? 0 : 1],
    failed: 'failed',
    unknown: 'in doubt',
    skipped: words.skipped?.[count === 1 ? 0 : 1] ?? 'skipped',
    not_sent: 'not sent',
  };
  return all[outcome];
}

/** `37 created, 2 already exist, 1 failed`. */
export function describeTotals(
  outcomes: readonly ItemOutcome[],
  words: BatchWords,
  { isPlan = false } = {},
): string {
  return order
    .map((outcome) => [outcomes.filter((one) => one === outcome).length, outcome] as const)
    .filter(([count]) => count > 0)
    .map(([count, outcome]) => {
      // Before anything is sent, nothing has failed.
      const isWrong = isPlan && outcome === 'failed';
      return `${count} ${isWrong ? words.wrong[count === 1 ? 0 : 1] : wordOf(outcome, words, count)}`;
    })
    .join(', ');
}

/** `1 post`, `15 posts`. */
export function countItems(count: number, { one, many }: Pick<BatchWords, 'one' | 'many'>): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Most severe first: unknown outcomes, then what stopped the batch, then single items. */
const bySeverity: readonly ExitCode[] = [
  exitCodes.bug,
  exitCodes.unknown,
  exitCodes.localState,
  exitCodes.notAllowed,
  exitCodes.cancelled,
  exitCodes.throttled,
  exitCodes.notApplied,
  exitCodes.conflict,
  exitCodes.notFound,
  exitCodes.rejected,
  exitCodes.inputNeeded,
  exitCodes.usage,
];

export function mostSevereExitCode(codes: readonly ExitCode[]): ExitCode {
  return bySeverity.find((code) => codes.includes(code)) ?? exitCodes.done;
}
