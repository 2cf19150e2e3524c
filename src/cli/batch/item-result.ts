import type { HistoryRecord } from '../../history/record/history-record.ts';
import type { CliError, Step } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { describeItem } from '../output/failure-text.ts';

/**
 * The outcome of an item of a batch, as `--json` prints it:
 * - `applied`: this command changed the item. `exists`: the item was as wanted before, and nothing was sent.
 * - `failed`: the item was refused, by the service or before it was sent. `unknown`: the change may have been applied.
 * - `skipped`: the user did not want the item. `not_sent`: the batch ended before the item.
 */
export type ItemOutcome = 'applied' | 'exists' | 'failed' | 'unknown' | 'skipped' | 'not_sent';

export interface ItemResult {
  readonly outcome: ItemOutcome;
  /** Stable name of the reason, or null if there is nothing to explain. */
  readonly code: string | null;
  /** The reason in one line; empty if there is nothing to explain. */
  readonly message: string;
  /** The part of the reason that only this item has, such as `got "maybe"`. Items with the same message are shown together. */
  readonly detail?: string | undefined;
  /** The reason without the id of the record, if the service has refused the request or not answered. */
  readonly reason?: string | undefined;
  /** The next steps, printed once for all items with the same steps: `fix these rows`. */
  readonly remedy: readonly Step[];
  readonly exitCode: ExitCode;
  readonly requestId: string | null;
  /** The record of the change, of this command or an earlier one. */
  readonly record: HistoryRecord | null;
  /** The error that ends the batch, because it concerns all items: no connection, or no access. */
  readonly stop?: CliError | undefined;
}

/** An item of a batch that has ended. */
export interface Ended<Item> {
  readonly item: Item;
  readonly result: ItemResult;
}

/** The plan for an item: it is sent in one of several ways, or its result is known before anything is sent. */
export type ItemPlan<Way extends string> = Known | { readonly kind: Way };

export interface Known {
  readonly kind: 'known';
  readonly result: ItemResult;
}

export function known(result: ItemResult): Known {
  return { kind: 'known', result };
}

/** The result of an item that is not sent, or null. */
export function knownResult({ plan }: { readonly plan: ItemPlan<string> }): ItemResult | null {
  return 'result' in plan ? plan.result : null;
}

/** The result of an item as `--json` prints it. */
export function resultDocument({ outcome, code, message, detail, requestId, record }: ItemResult) {
  const whole = detail === undefined ? message : `${message} (${detail})`;
  return { outcome, code, message: whole, requestId, operationId: record?.id ?? null };
}

/** The words for a kind of items. */
export interface BatchWords {
  readonly one: string;
  readonly many: string;
  /** `created`. */
  readonly applied: string;
  /** An earlier command may have applied them: the total then says what was done, not who did it. */
  readonly isEarlier?: boolean;
  /** For items that were as wanted before: `already created`. */
  readonly exists: string;
  /** Why items are skipped, where that is not up to the user. */
  readonly skipped?: string;
  /** For items that the batch has not reached: `still open`. */
  readonly notSent?: string;
  /** Why it is safe to run the same command again: `no post is created twice`. Null if that does not continue. */
  readonly again: string | null;
  /** The next step for failed items without one of their own. */
  readonly fix?: string;
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

/** The result of an item that ended with an error. An error that concerns all items stops the batch, and is not about this item. */
export function resultOfError(error: CliError, record: HistoryRecord | null = null): ItemResult {
  const { failure } = error;
  const { code, exitCode, requestId = null, outcome, operationId } = failure;
  const isDoubt = outcome === 'unknown';
  const isOne = concernsOneItem(exitCode);
  return makeResult(isDoubt ? 'unknown' : isOne ? 'failed' : 'not_sent', {
    stop: isDoubt || isOne || exitCode === exitCodes.unknown ? undefined : error,
    code,
    exitCode,
    message: describeItem(failure, record?.id ?? operationId),
    reason: failure.reason,
    requestId,
    record,
  });
}

/** Whether an error concerns one item only, so that the batch can continue. */
function concernsOneItem(code: ExitCode): boolean {
  return [usage, notFound, conflict, rejected].some((one) => one === code);
}

/** The words for outcomes: `created`, `in doubt`. */
export function outcomeWords(
  { applied, exists, skipped = 'skipped', notSent = 'not sent' }: BatchWords,
  failed = 'failed',
): Readonly<Record<ItemOutcome, string>> {
  return {
    applied,
    exists,
    failed,
    unknown: 'in doubt',
    skipped,
    not_sent: notSent,
  };
}

/** `37 created, 2 already created, 1 failed`. */
export function describeTotals(outcomes: readonly ItemOutcome[], words: BatchWords, failed?: string): string {
  return Object.entries(outcomeWords(words, failed))
    .map(([outcome, word]) => [outcomes.filter((one) => one === outcome).length, word] as const)
    .filter(([count]) => count > 0)
    .map((counted) => counted.join(' '))
    .join(', ');
}

/** `won`, or `26 won, 15 lost`. */
export function describeStatuses(statuses: readonly string[]): string {
  const distinct = [...new Set(statuses)];
  const counted = distinct.map((status) => `${statuses.filter((one) => one === status).length} ${status}`);
  return (distinct.length === 1 ? distinct : counted).join(', ');
}

/** `1 post`, `15 posts`. */
export function countItems(count: number, { one, many }: Pick<BatchWords, 'one' | 'many'>): string {
  return `${count} ${count === 1 ? one : many}`;
}

const { bug, unknown, localState, notAllowed, cancelled, throttled } = exitCodes;
const { notApplied, conflict, notFound, rejected, inputNeeded, usage } = exitCodes;

/** Most severe first: unknown outcomes, then what stopped the batch, then single items. */
const bySeverity: readonly ExitCode[] = [
  ...[bug, unknown, localState, notAllowed, cancelled, throttled, notApplied],
  ...[conflict, notFound, rejected, inputNeeded, usage],
];

export function mostSevereExitCode(codes: readonly ExitCode[]): ExitCode {
  return bySeverity.find((code) => codes.includes(code)) ?? exitCodes.done;
}
