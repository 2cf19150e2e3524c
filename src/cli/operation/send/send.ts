import type { FailedSafetyBackup, Recorded, RecordedChange } from '../../../history/changes/change-result.ts';
import { rememberStoreName } from '../../../history/objects/seen-objects.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import { markedByHand } from '../../../history/record/recorded-outcome.ts';
import type { Ui } from '../../command/ui.ts';
import { isOn } from '../../core/parsed-command.ts';
import { line } from '../../core/sanitize.ts';
import type { ChangeOptions, Result, Run } from '../call/run.ts';
import { resultOfChange } from '../result/expect-applied.ts';
import { read, sendOptions } from './read.ts';
import { sendAnyway, withHistoryErrors } from './refusals.ts';

/** Sends a request; a change is recorded first. Throws the user's error for every outcome but `applied`. */
export async function send(run: Run, options: ChangeOptions = {}): Promise<Result> {
  if (run.request.operation.class !== 'read') return resultOfChange(run, await sendChange(run, options));
  return read(run);
}

/** As {@link send} for a change, but returns every outcome. */
export async function sendChange(run: Run, options: ChangeOptions): Promise<RecordedChange> {
  const changed = await recordRun(run, options);
  // Only a restore has a safety label, see commands/backup/send-restore.ts.
  if (changed.kind === 'safety_backup') throw new Error('a safety backup that nobody asked for');
  return changed;
}

/**
 * Records a change and sends it, after a safety backup with the label `safetyLabel`. Returns every outcome, also that of a safety backup
 * that failed.
 */
export async function recordRun(
  run: Run,
  { allowDuplicateFlag, readsFirst = false, ...options }: ChangeOptions,
  safetyLabel?: string,
): Promise<RecordedChange | FailedSafetyBackup> {
  const { request, ui, session, parsed } = run;
  // Loaded on demand: a read does not need the history, and starts faster without it.
  const change = readsFirst
    ? (await import('../../../history/changes/read-first.ts')).readAndChange
    : (await import('../../../history/changes/change.ts')).recordChange;
  const common = changeOptions(run);
  const history = await session.history();
  const { operation, parameters, body, bodyText } = request;
  const changed = await withHistoryErrors(
    session,
    () =>
      change(
        history,
        { operation, parameters, body, bodyText, ...options, fresh: isOn(parsed, '--new') },
        { ...common, safetyLabel, onEarlier: (...earlier) => noteEarlier(ui, ...earlier) },
      ),
    sendAnyway(allowDuplicateFlag),
  );
  const { record, outcome, ...recorded } = changed.kind === 'change' ? changed : changed.safetyBackup;
  noteRecording(ui, recorded);
  if (outcome.kind === 'applied') rememberStoreName(history, record, outcome.body);
  return changed;
}

/** Throws the refusal that {@link send} would throw, as far as the history alone can tell. Sends nothing. */
export async function refuseEarlier(
  run: Run,
  { allowDuplicateFlag, ...options }: ChangeOptions,
): Promise<void> {
  const { session, parsed } = run;
  const { previewChange } = await import('../../../history/changes/change.ts');
  const request = { ...run.request, ...options, fresh: isOn(parsed, '--new') };
  const common = changeOptions(run);
  const history = await session.history();
  await withHistoryErrors(
    session,
    () => previewChange(history, request, common),
    sendAnyway(allowDuplicateFlag),
  );
}

/** The options for recording and sending a change. */
export function changeOptions({ target, ui, session }: Pick<Run, 'target' | 'ui' | 'session'>) {
  return {
    ...sendOptions(session),
    client: target.client,
    onWait: () => ui.notice('Waiting for another storectl command to finish…', 'dim'),
  };
}

/** Prints one line on stderr, also with `--quiet`: the result is that of an earlier change. */
function noteEarlier(ui: Ui, earlier: HistoryRecord, undo: HistoryRecord | null): void {
  const text =
    earlier.state === 'applied'
      ? describeApplied(earlier, undo)
      : `Sending ${earlier.id} again, because it is in doubt: with the same idempotency key it is applied only once.`;
  if (ui.quiet) ui.writeAlways(line`${text}`);
  else ui.notice(line`${text}`, 'dim');
}

function describeApplied({ id, failure }: HistoryRecord, undo: HistoryRecord | null): string {
  if (undo !== null)
    return `Already applied (${id}), and undone since (${undo.id}); nothing was sent. To do it again, use another idempotency key.`;
  const response = failure?.code === markedByHand ? '' : ' This is the response from then.';
  return `Already applied (${id}); nothing was sent.${response}`;
}

const proofResults = {
  applied: 'The response was lost, but a check shows that the change was applied.',
  untouched: 'A check shows that nothing has changed yet. The request may still be in progress.',
  other: 'A check shows something else than was sent.',
  unanswered: null,
} as const;

/** Prints what a read for proof has shown, and that an outcome could not be recorded. */
export function noteRecording(
  ui: Ui,
  { proofResult, recordingError }: Pick<Recorded, 'proofResult' | 'recordingError'>,
): void {
  const { notice } = ui;
  const found = proofResult && proofResults[proofResult];
  if (found) notice(found, 'yellow');
  if (recordingError !== null)
    notice(line`The outcome could not be recorded: ${recordingError.message}`, 'yellow');
}
