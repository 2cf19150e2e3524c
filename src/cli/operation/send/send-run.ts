import { isObject } from '../../../base/json.ts';
import type { Applied, Outcome } from '../../../client/outcome.ts';
import { nounOf, type Operation } from '../../../contract/operation.ts';
import type { FailedSafetyBackup, RecordedChange } from '../../../history/changes/safety-backup.ts';
import type { Recorded } from '../../../history/history.ts';
import { rememberStoreName } from '../../../history/objects/seen-objects.ts';
import { HistoryError } from '../../../history/record/errors.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { isLostWithContainer } from '../../config/container-layer.ts';
import { stateDirectory } from '../../config/directories.ts';
import { CliError, cancelledError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { isOn } from '../../core/parsed-command.ts';
import { line } from '../../core/sanitize.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { fieldsToNameByFlag } from '../../input/request-body.ts';
import type { ChangeOptions, OperationRequest, Result, Run } from '../call/run.ts';
import { describeStoreInUse } from '../call/store-in-use.ts';
import { differencesFromSent } from '../result/compare-response.ts';
import { outcomeError, type Subject } from '../result/outcome-error.ts';
import { describeHistoryError, type RefusalSteps, sendAnyway } from './refusals.ts';

/** Says where a change goes before it is sent. */
export async function announce({ target, ui, session }: Run): Promise<void> {
  warnOfLostHistory(target, ui, session);
  const host = target.profile === demoProfile ? '' : ` @ ${new URL(target.baseUrl).host}`;
  ui.notice(line`${target.profile} → store ${await describeStoreInUse(session)}${host}`, 'dim');
}

/** What a container keeps in its own layer is lost with it, and with it what `resume` and `undo` need. */
function warnOfLostHistory({ profile }: Run['target'], ui: Ui, { io }: Session): void {
  if (profile === demoProfile) return;
  const directory = stateDirectory(io);
  if (!isLostWithContainer(directory, io.env)) return;
  ui.noticeOnce(
    line`warning: the history in ${directory} is lost with this container; mount a volume there (docker run --volume storectl:${directory})`,
    'yellow',
  );
}

/** Sends a run, recorded where it changes something. Every outcome but `applied` is thrown as the user's error. */
export async function send(run: Run, options: ChangeOptions = {}): Promise<Result> {
  if (run.request.operation.class !== 'read') return resultOfChange(run, await sendChange(run, options));
  return resultOfRead(run, await readOutcome(run, await storeWaitOrNone(run.session)));
}

/** As {@link storeWait}. A history that cannot be used stops changes, not reads. */
export function storeWaitOrNone(session: Session): Promise<number> {
  return storeWait(session).catch((error: unknown) => {
    if (error instanceof HistoryError || error instanceof CliError) return 0;
    throw error;
  });
}

/** What earlier commands were asked to wait. */
async function storeWait(session: Session): Promise<number> {
  return (await session.history()).storeWait();
}

async function readOutcome({ request, target, session }: Run, waitMs: number): Promise<Outcome> {
  target.client.pause(waitMs);
  return target.client.call(request.operation, {
    ...sendOptions(session),
    parameters: { storeId: target.storeId, ...request.parameters },
    body: null,
  });
}

function resultOfRead(run: Run, outcome: Outcome): Result {
  const applied = expectApplied(run, outcome, null);
  if (!isObject(applied.body)) throw unreadableAnswer(run.request.operation);
  return resultOfResponse(applied, null);
}

/** A read that a write depends on: a damaged history stops it. */
export async function readBeforeWrite(run: Run): Promise<Result> {
  return resultOfRead(run, await askBeforeWrite(run));
}

/** As {@link readBeforeWrite}, with the outcome as data. */
export async function askBeforeWrite(run: Run): Promise<Outcome> {
  return readOutcome(run, await withHistoryErrors(run.session, () => storeWait(run.session)));
}

/** The applied outcome. Throws any other as the user's error. */
export function expectApplied(run: Run, outcome: Outcome, record: HistoryRecord | null): Applied {
  if (outcome.kind !== 'applied') throw errorOfRun(run, outcome, record);
  noteDrift(run.ui, outcome);
  return outcome;
}

/** The user's error for an outcome of a run that is not `applied`. */
export function errorOfRun(
  { target, request, session, fields, parsed }: Run,
  outcome: Exclude<Outcome, { kind: 'applied' }>,
  record: HistoryRecord | null,
): CliError {
  return outcomeError(session, outcome, {
    class: request.operation.class,
    fields: fieldsToNameByFlag(fields, parsed),
    recordId: record?.id,
    profile: target.profile,
    baseUrl: target.baseUrl,
    subject: { ...objectOf(request), storeId: target.storeId },
  });
}

/** `dispute 4b…` for an operation with an id in its path, and what lists disputes. */
function objectOf({ operation, parameters }: OperationRequest): Omit<Subject, 'storeId'> {
  const name = idParameter(operation);
  if (name === undefined) return { object: null };
  const [noun = ''] = operation.id.split('.');
  return { object: `${nounOf(name)} ${parameters[name]}`, list: [noun, 'list'] };
}

/** Every read of the contract answers with an object: anything else must not look like one that is empty. */
export function unreadableAnswer(operation: Operation): CliError {
  return new CliError({
    code: 'unreadable_answer',
    exitCode: exitCodes.notApplied,
    what: `the service accepted ${operation.id}, but its response is not the expected one`,
    next: [{ say: 'check the base URL, or add --debug to see the response' }],
    outcome: 'not_sent',
  });
}

/** What the client takes besides the request, from the flags. */
export function sendOptions({ io, flags }: Session) {
  return { signal: io.signal, timeoutMs: flags.timeoutMs };
}

/** What recording and sending take besides the request. */
export function changeOptions({ target, ui, session }: Pick<Run, 'target' | 'ui' | 'session'>) {
  return {
    ...sendOptions(session),
    client: target.client,
    onWait: () => ui.notice('Waiting for another storectl command to finish…', 'dim'),
  };
}

/** Throws what {@link send} would be refused for, and sends nothing. */
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

/** Records a change and sends it. What came of it is data: also that of the backup which `safetyLabel` asks for. */
export async function recordRun(
  run: Run,
  { allowDuplicateFlag, readsFirst = false, ...options }: ChangeOptions,
  safetyLabel?: string,
): Promise<RecordedChange | FailedSafetyBackup> {
  const { request, ui, session, parsed } = run;
  // Reads do without the history, and so start faster.
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
        { ...common, safetyLabel, onEarlier: (earlier) => noteEarlier(ui, earlier) },
      ),
    sendAnyway(allowDuplicateFlag),
  );
  const { record, outcome, ...recorded } = changed.kind === 'change' ? changed : changed.safetyBackup;
  noteRecording(ui, recorded);
  if (outcome.kind === 'applied') rememberStoreName(history, record, outcome.body);
  return changed;
}

/** As {@link send} for a change, with its outcome as data. */
export async function sendChange(run: Run, options: ChangeOptions): Promise<RecordedChange> {
  const changed = await recordRun(run, options);
  // Only a restore asks for a safety backup, see commands/backup/send-restore.ts.
  if (changed.kind === 'safety_backup') throw new Error('a safety backup that nobody asked for');
  return changed;
}

/** The result of a change that was applied. Throws any other outcome as the user's error. */
export function resultOfChange(
  run: Run,
  { record, outcome, isEarlier }: Omit<RecordedChange, 'kind'>,
): Result {
  const applied = expectApplied(run, outcome, record);
  noteOtherValues(run, applied);
  return { ...resultOfResponse(applied, record), isEarlier };
}

export function resultOfResponse({ body, text, etag }: Applied, record: HistoryRecord | null): Result {
  return { answer: body, text, etag, record };
}

/** One line on stderr, with `--quiet` too: what is printed is not what this command did. */
function noteEarlier(ui: Ui, earlier: HistoryRecord): void {
  const text =
    earlier.state === 'applied'
      ? `Already applied (${earlier.id}); nothing was sent. This is the response from then.`
      : `Sending ${earlier.id} again, because it is in doubt: with the same idempotency key it is applied only once.`;
  if (ui.quiet) ui.writeAlways(line`${text}`);
  else ui.notice(line`${text}`, 'dim');
}

/** Turns the errors of the history into the user's. */
export async function withHistoryErrors<Value>(
  { io }: Session,
  record: () => Promise<Value>,
  steps: RefusalSteps = {},
): Promise<Value> {
  try {
    return await record();
  } catch (error) {
    if (io.signal.aborted && error instanceof HistoryError) throw cancelledError();
    throw describeHistoryError(error, steps);
  }
}

const findings = {
  applied: 'The response was lost, but a check shows that the change was applied.',
  untouched: 'A check shows that nothing has changed yet. The request may still be in progress.',
  other: 'A check shows something else than was sent.',
  unreadable: null,
} as const;

/** What the user should know about how an outcome was found out and written down. */
export function noteRecording(
  ui: Ui,
  { finding, recordingError }: Pick<Recorded, 'finding' | 'recordingError'>,
): void {
  const { notice } = ui;
  const found = finding && findings[finding];
  if (found) notice(found, 'yellow');
  if (recordingError !== null)
    notice(line`The outcome could not be recorded: ${recordingError.message}`, 'yellow');
}

/** Says where the service has other values than were sent. The change was applied, so it is no error. */
function noteOtherValues({ request, ui }: Run, { body }: Applied): void {
  for (const difference of differencesFromSent(request.body, body)) ui.notice(line`${difference}`, 'yellow');
}

/** Drift is a warning and not an error: it must not cost the user their answer. */
export function noteDrift({ noticeOnce }: Ui, { drift }: Applied): void {
  for (const one of drift) noticeOnce(line`unexpected response: ${one}`, 'yellow');
}
