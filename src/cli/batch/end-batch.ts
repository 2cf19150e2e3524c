import type { HistoryRecord } from '../../history/journal/history-record.ts';
import type { CommandResult } from '../command/command-definition.ts';
import { reportApplied } from '../command/command-definition.ts';
import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { CliError, type Step } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { noticeDone } from '../operation/result/print-result.ts';
import { upperFirst } from '../output/labels.ts';
import {
  type BatchWords,
  countItems,
  describeTotals,
  type ItemOutcome,
  type ItemResult,
  mostSevereExitCode,
} from './item-result.ts';

/** A batch that has ended. */
export interface EndedBatch {
  readonly words: BatchWords;
  readonly results: readonly ItemResult[];
  /** What `--json` prints, and `--output-file` gets. */
  readonly document: unknown;
  readonly stop: CliError | null;
  /** Writes its text to `--output-file`, if given. */
  readonly write?: ((text: string) => void) | undefined;
  /** What the user does about failed items after their remedies, where that is not to run the same command again. */
  readonly advice?: string | undefined;
}

/** Prints the document and the totals. Throws the error that says what is left to do. */
export async function endBatch(
  ui: Ui,
  { words, results, document, stop, write, advice }: EndedBatch,
): Promise<CommandResult> {
  if (ui.json) printJson(ui, document);
  const applied = appliedIn(results);
  await reportApplied(applied, () => write?.(JSON.stringify(document)));
  const outcomes = results.map(({ outcome }) => outcome);
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = mostSevereExitCode(stop === null ? codes : [...codes, stop.failure.exitCode]);
  if (exitCode !== exitCodes.done) {
    throw stop === null
      ? incomplete(words, results, { exitCode, advice })
      : stopped(words, stop, { exitCode, outcomes });
  }
  const done = outcomes.filter((outcome) => outcome === 'applied').length;
  const others = describeTotals(
    outcomes.filter((outcome) => outcome !== 'applied'),
    words,
  );
  if (done === 0) ui.notice(`${upperFirst(others || `no ${words.many}`)}.`);
  else noticeDone(ui, [`${words.done} ${countItems(done, words)}`, others].filter(Boolean).join(', '));
  if (results.some(isLeft) && words.again !== null)
    ui.notice(`Run the same command again for the rest; ${words.again}.`);
  return { applied };
}

/** The records that a batch with these results has applied. */
export function appliedIn(results: readonly ItemResult[]): HistoryRecord[] {
  return results.flatMap(({ outcome, record }) => (outcome === 'applied' && record !== null ? [record] : []));
}

/** Whether the same command takes the item when it is run again. */
function isLeft({ outcome, code }: ItemResult): boolean {
  return outcome === 'not_sent' || (outcome === 'skipped' && code === null);
}

/** The error that stopped the batch, with how far it got. */
function stopped(
  words: BatchWords,
  { message, failure }: CliError,
  { exitCode, outcomes }: { readonly exitCode: ExitCode; readonly outcomes: readonly ItemOutcome[] },
): CliError {
  const { code, status, requestId, next = [] } = failure;
  const isUnanswered = failure.exitCode === exitCodes.unknown && status === undefined;
  const again = `run the same command again ${isUnanswered ? 'when the service answers' : 'to continue'}`;
  const doubts = outcomes.includes('unknown') ? ', and those in doubt are checked' : '';
  const more = isUnanswered ? next : [];
  const skips = words.again === null ? more : [{ say: words.again + doubts }];
  const isRefused = failure.exitCode === exitCodes.notAllowed && next.length > 0;
  return new CliError({
    code,
    exitCode,
    what: `stopped (${describeTotals(outcomes, words)}): ${message}`,
    next: [...(isRefused ? next : [{ say: again }]), ...skips],
    status,
    requestId,
  });
}

/** All items were reached, and some failed or are in doubt. */
function incomplete(
  words: BatchWords,
  results: readonly ItemResult[],
  { exitCode, advice }: Pick<EndedBatch, 'advice'> & { readonly exitCode: ExitCode },
): CliError {
  const bad = results.filter((result) => result.exitCode !== exitCodes.done);
  const doubts = bad.filter(({ outcome }) => outcome === 'unknown').length;
  const failed = bad.length - doubts;
  const all = countItems(results.length, words);
  const counts = [
    ...(failed === 0 ? [] : [`${failed} of ${all} not ${words.applied}`]),
    ...(doubts === 0 ? [] : [failed === 0 ? `${doubts} of ${all} in doubt` : `${doubts} in doubt`]),
  ];
  const others = describeTotals(
    results.filter((result) => !bad.includes(result)).map(({ outcome }) => outcome),
    words,
  );
  // The same remedy is said once.
  const remedies = new Map(bad.map(({ remedy }) => [JSON.stringify(remedy), remedy]));
  const steps: Step[] = [...remedies.values()].flat();
  if (advice !== undefined) steps.push({ say: advice });
  if (words.again !== null && (advice === undefined || doubts > 0))
    steps.push({ say: `${steps.length === 0 ? '' : 'then '}run the same command again; ${words.again}` });
  return new CliError({
    code: 'incomplete',
    exitCode,
    what: counts.join(', ') + (others === '' ? '' : ` (${others})`),
    next: steps,
  });
}
