import { type Operation, pathParameterProblem } from '../../contract/operation.ts';
import { beginBatch, type Batch as HistoryBatch } from '../../history/changes/batch.ts';
import { type History, logIdOf, type Recorded } from '../../history/history.ts';
import { isInDoubt } from '../../history/journal/history-record.ts';
import type { Session } from '../command/session.ts';
import type { Ui } from '../command/ui.ts';
import { CliError, usageError } from '../core/errors.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import type { FieldFlag } from '../input/field-flags.ts';
import { newRun, type Run } from '../operation/call/run.ts';
import { changeOptions, expectApplied, noteRecording, recording } from '../operation/send/send-run.ts';
import { type ItemResult, knownResult, makeResult, resultOfError } from './item-result.ts';
import type { Limits } from './limits.ts';

/** The run of a batch: its items have requests of their own. */
export async function startRun(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  operation: Operation,
  fields: readonly FieldFlag[] = [],
): Promise<Run> {
  const target = await session.connect();
  const problem = pathParameterProblem(target.storeId);
  if (problem !== null) throw usageError(`--store ${problem}`, 'copy the whole id, for example 019a6f3e-…');
  const request = { operation, parameters: {}, body: null };
  return { ...newRun({ ui, session, parsed }, target, request), fields };
}

/** Begins the batch in the history, with one log for all its changes. */
export async function openHistoryBatch(run: Run, limits: Limits): Promise<HistoryBatch> {
  const { session } = run;
  const history = await session.history();
  const options = { ...changeOptions(run), ...limits, operation: run.request.operation };
  return recording(session, () => beginBatch(history, options));
}

/**
 * The result of a change that was sent. Throws the user's error if its outcome concerns more than this change: no connection,
 * or no access.
 */
export function resultOfChange(run: Run, recorded: Recorded): ItemResult {
  const { ui } = run;
  const { record, outcome, recordingError } = recorded;
  if (recordingError !== null) noteRecording(ui, { ...recorded, finding: null });
  try {
    const { requestId } = expectApplied(run, outcome, record);
    return makeResult('applied', { record, requestId });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const result = resultOfError(error, record);
    if (result.outcome === 'not_sent') throw error;
    return result;
  }
}

/** A run whose requests end by another signal, such as that of a batch. */
export function withSignal(run: Run, signal: AbortSignal): Run {
  const { session } = run;
  return { ...run, session: { ...session, io: { ...session.io, signal } } };
}

/**
 * Takes over the logs of earlier runs that were interrupted, so that they are closed with this one: of each, this command
 * tells all outcomes that are known. A log that another process works on is left to it.
 */
export async function closeEarlierLogs(
  history: History,
  planned: readonly { readonly plan: string | ItemResult }[],
): Promise<void> {
  const records = planned.flatMap((one) => knownResult(one)?.record ?? []);
  const ids = new Set(records.filter(({ open }) => open).map(({ id }) => id));
  for (const logId of new Set([...ids].map(logIdOf))) {
    const isWhole = history
      .recordsOf(logId)
      .every((record) => !record.open || isInDoubt(record) || ids.has(record.id));
    if (!isWhole || history.isHeldElsewhere(logId)) continue;
    const writer = await history.reopen(logId);
    for (const id of writer.records.keys()) if (ids.has(id)) writer.tell(id);
  }
}
