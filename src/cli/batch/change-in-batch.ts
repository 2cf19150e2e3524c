import type { Operation } from '../../contract/operation.ts';
import { beginBatch, type HistoryBatch } from '../../history/changes/batch.ts';
import type { Recorded } from '../../history/changes/change-result.ts';
import { resumeRecord } from '../../history/changes/resume.ts';
import { isInDoubt, logIdOf } from '../../history/record/history-record.ts';
import type { Session } from '../command/session.ts';
import type { Ui } from '../command/ui.ts';
import { nameOfStore } from '../config/connection-settings.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import type { FieldFlag } from '../input/field-flags.ts';
import { checkParameter } from '../input/path-parameter.ts';
import { newRun, type Run } from '../operation/call/run.ts';
import { errorOfRun, noteDrift } from '../operation/result/expect-applied.ts';
import { withHistoryErrors } from '../operation/send/refusals.ts';
import { changeOptions, noteRecording } from '../operation/send/send.ts';
import {
  type ItemPlan,
  type ItemResult,
  known,
  knownResult,
  makeResult,
  resultOfError,
} from './item-result.ts';
import type { Limits } from './limits.ts';

/** A run without a body and parameters, for a batch: each item has its own request. */
export async function startRun(
  ui: Ui,
  session: Session,
  parsed: ParsedCommand,
  operation: Operation,
  fields: readonly FieldFlag[] = [],
): Promise<Run> {
  const target = await session.connect();
  const { storeId } = await session.settings();
  checkParameter(nameOfStore(storeId?.source ?? 'flag'), target.storeId);
  const request = { operation, parameters: {}, body: null };
  return { ...newRun({ ui, session, parsed }, target, request), fields };
}

/** Begins the batch in the history, with one log for all its changes. */
export async function openHistoryBatch(run: Run, limits: Limits): Promise<HistoryBatch> {
  const { session } = run;
  const history = await session.history();
  const options = { ...changeOptions(run), ...limits, operation: run.request.operation };
  return withHistoryErrors(session, () => beginBatch(history, options));
}

/** The result of a change that was sent. */
export function itemResultOf(run: Run, recorded: Recorded): ItemResult {
  const { ui } = run;
  const { record, outcome, recordingError } = recorded;
  if (recordingError !== null) noteRecording(ui, { recordingError, proofResult: null });
  switch (outcome.kind) {
    case 'applied':
      noteDrift(ui, outcome);
      return makeResult('applied', { record, requestId: outcome.requestId });
    default:
      return resultOfError(errorOfRun(run, outcome, record), record);
  }
}

/**
 * Ends open records of earlier commands whose items a plan has found applied: their outcomes are reported with this batch, and doubts
 * about them are settled. A log that another process holds is left to that process.
 */
export async function settleEarlier<Planned extends { readonly plan: ItemPlan<string> }>(
  run: Run,
  planned: readonly Planned[],
): Promise<Planned[]> {
  const history = await run.session.history();
  const settled: Planned[] = [];
  for (const one of planned) {
    const result = knownResult(one);
    const record = result?.outcome === 'exists' ? result.record : null;
    if (result === null || !record?.open || history.isHeldElsewhere(logIdOf(record.id))) settled.push(one);
    else if (isInDoubt(record)) {
      const resumed = await resumeRecord(history, record.id, changeOptions(run));
      settled.push({ ...one, plan: known({ ...result, record: resumed.record }) });
    } else {
      (await history.reopen(logIdOf(record.id))).report(record.id);
      settled.push(one);
    }
  }
  return settled;
}
