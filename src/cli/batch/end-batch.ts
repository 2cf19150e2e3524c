import type { Context } from '../command/context.ts';
import { printJson } from '../command/print-json.ts';
import { CliError } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import { noticeDone } from '../operation/result/print-result.ts';
import { upperFirst } from '../output/labels.ts';
import { beginFile, outputFileOption } from '../output/output-file.ts';
import {
  type BatchWords,
  countItems,
  describeTotals,
  type ItemOutcome,
  type ItemResult,
  mostSevereExitCode,
} from './item-result.ts';

/** A whole batch, to be told. */
export interface EndedBatch {
  readonly words: BatchWords;
  readonly results: readonly ItemResult[];
  /** What `--json` prints, one a result. */
  readonly documents: readonly unknown[];
  readonly stop: CliError | null;
  /** Writes the documents to `--output-file`. */
  write(documents: readonly unknown[]): void;
  /** What the user may do about failed items, after their remedies. */
  readonly advice?: string | undefined;
}

/** Prints the documents and the totals. Returns exit 0, or throws the error that says what is left to do. */
export function endBatch(context: Context, { words, results, documents, stop, write, advice }: EndedBatch): ExitCode {
  if (context.flags.json) printJson(context, documents);
  write(documents);
  const outcomes = results.map(({ outcome }) => outcome);
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = mostSevereExitCode(stop === null ? codes : [...codes, stop.details.exitCode]);
  if (exitCode !== exitCodes.done) {
    const totals = describeTotals(outcomes, words);
    throw stop === null
      ? incomplete(words, results, { exitCode, totals, advice })
      : stopped(words, stop, { exitCode, totals });
  }
  const done = outcomes.filter((outcome) => outcome === 'applied').length;
  const others = describeTotals(
    outcomes.filter((outcome) => outcome !== 'applied'),
    words,
  );
  if (done === 0) context.notice(`${upperFirst(others || `no ${words.many}`)}.`);
  else noticeDone(context, [`${words.done} ${countItems(done, words)}`, others].filter(Boolean).join(', '));
  if (outcomes.some(isLeft)) context.notice(`Run the same command again for the rest; ${words.again}.`);
  return exitCode;
}

/** Whether the same command takes the item when it is run again. */
function isLeft(outcome: ItemOutcome): boolean {
  return outcome === 'not_sent' || outcome === 'skipped';
}

interface Failing {
  readonly exitCode: ExitCode;
  readonly totals: string;
  readonly advice?: string | undefined;
}

/** The error that stopped the batch, with how far it got. */
function stopped(words: BatchWords, { details }: CliError, { exitCode, totals }: Failing): CliError {
  const { code, status, message, requestId, hint } = details;
  const isUnanswered = details.exitCode === exitCodes.unknown && status === undefined;
  const again = `run the same command again ${isUnanswered ? 'when the service answers' : 'to continue'}; ${words.again}`;
  return new CliError({
    code,
    exitCode,
    message: `stopped (${totals}): ${code === 'cancelled' ? 'cancelled' : message}`,
    hint: details.exitCode === exitCodes.notAllowed && hint !== undefined ? `${hint}; ${words.again}` : again,
    status,
    requestId,
  });
}

/** All items were reached, and some failed. */
function incomplete(
  words: BatchWords,
  results: readonly ItemResult[],
  { exitCode, totals, advice }: Failing,
): CliError {
  const bad = results.filter((result) => result.exitCode !== exitCodes.done);
  const remedies = [...new Set(bad.map(({ remedy }) => remedy))].filter((remedy) => remedy !== null);
  const again = `${remedies.length === 0 ? '' : 'then '}run the same command again; ${words.again}`;
  return new CliError({
    code: 'incomplete',
    exitCode,
    message: `${bad.length} of ${countItems(results.length, words)} not ${words.applied} (${totals})`,
    hint: [...remedies, ...(advice === undefined ? [] : [advice]), again].join('; '),
  });
}

/** Runs `work` with a function that writes the documents to `--output-file`. */
export async function withResultsFile<Result>(
  { io }: Pick<Context, 'io'>,
  parsed: ParsedCommand,
  work: (write: EndedBatch['write']) => Promise<Result>,
): Promise<Result> {
  const file = optionValue(parsed, outputFileOption.flag);
  if (file === undefined) return work(() => {});
  const pending = beginFile(io.cwd, file);
  let isComplete = false;
  try {
    return await work((documents) => {
      isComplete = true;
      pending.complete(`${JSON.stringify(documents)}\n`);
    });
  } finally {
    if (!isComplete) pending.discard();
  }
}
