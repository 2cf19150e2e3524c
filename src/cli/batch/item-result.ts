import type { HistoryRecord } from '../../history/journal/history-record.ts';
import type { CliError } from '../core/errors.ts';
import { type Phrase, phrase, toRun } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { printable } from '../core/sanitize.ts';

/**
 * What became of an item of a batch, as `--json` prints it:
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
  /** What to do about it, said once for all items with the same: `fix these rows`. */
  readonly remedy: Phrase | null;
  readonly exitCode: ExitCode;
  readonly requestId: string | null;
  /** The change, by this run or an earlier one. */
  readonly record: HistoryRecord | null;
}

/** The words for a kind of items. */
export interface BatchWords {
  readonly one: string;
  readonly many: string;
  /** Begins the first line of a success: `Created`. */
  readonly done: string;
  readonly applied: string;
  /** After one, and after several: `already exists`, `already exist`. */
  readonly exists: readonly [one: string, many: string];
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
    remedy: null,
    exitCode: outcome === 'unknown' ? exitCodes.unknown : exitCodes.done,
    requestId: record?.response?.requestId ?? null,
    record,
    ...more,
  };
}

/** The result of an item whose sending has thrown an error for the user. */
export function resultOfError({ details }: CliError, record: HistoryRecord | null = null): ItemResult {
  const { code, exitCode, message, fields = [], status, requestId = null, outcome, operationId } = details;
  const refused = fields.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  const isUnknown = outcome === 'unknown';
  const id = record?.id ?? operationId;
  const ofFields = `${refused} (${[status, code].filter(Boolean).join(' ')})`;
  const ofAll = isUnknown && id !== undefined ? `${message} (${id})` : message;
  return makeResult(isUnknown ? 'unknown' : concernsOneItem(exitCode) ? 'failed' : 'not_sent', {
    code,
    exitCode,
    message: printable(refused === '' ? ofAll : ofFields),
    remedy: isUnknown ? phrase`run ${toRun('resume')} to settle what is in doubt` : null,
    requestId,
    record,
  });
}

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
    skipped: 'skipped',
    not_sent: 'not reached',
  };
  return all[outcome];
}

/** `37 created, 2 already exist, 1 failed`. */
export function describeTotals(outcomes: readonly ItemOutcome[], words: BatchWords): string {
  return order
    .map((outcome) => [outcomes.filter((one) => one === outcome).length, outcome] as const)
    .filter(([count]) => count > 0)
    .map(([count, outcome]) => `${count} ${wordOf(outcome, words, count)}`)
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
