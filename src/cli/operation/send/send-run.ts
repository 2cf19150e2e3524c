import { isObject } from '../../../base/json.ts';
import type { Applied, Outcome } from '../../../client/outcome.ts';
import { nounOf, type Operation } from '../../../contract/operation.ts';
import { HistoryError } from '../../../history/errors.ts';
import type { Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { rememberStoreName } from '../../../history/objects/seen-objects.ts';
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
import { describeHistoryError } from './refusals.ts';

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
  if (run.request.operation.class !== 'read') return change(run, options);
  return read(run, await storeWaitOrNone(run.session));
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

async function read(run: Run, waitMs: number): Promise<Result> {
  const { request, target, session } = run;
  target.client.pause(waitMs);
  const outcome = await target.client.call(request.operation, {
    ...sendOptions(session),
    parameters: { storeId: target.storeId, ...request.parameters },
    body: null,
  });
  const applied = expectApplied(run, outcome, null);
  if (!isObject(applied.body)) throw unreadableAnswer(request.operation);
  return resultOf(applied, null);
}

/** A read that a write depends on: a damaged history stops it. */
export async function readBeforeWrite(run: Run): Promise<Result> {
  return read(run, await recording(run.session, () => storeWait(run.session)));
}

/** The applied outcome. Throws any other as the user's error. */
export function expectApplied(run: Run, outcome: Outcome, record: HistoryRecord | null): Applied {
  const { target, request, ui, session, fields, parsed } = run;
  if (outcome.kind === 'applied') {
    noteDrift(ui, outcome);
    return outcome;
  }
  throw outcomeError(session, outcome, {
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
  { safetyLabel: _, allowDuplicateFlag, ...options }: ChangeOptions,
): Promise<void> {
  const { session, parsed } = run;
  const { previewChange } = await import('../../../history/changes/change.ts');
  const request = { ...run.request, ...options, fresh: isOn(parsed, '--new') };
  const common = changeOptions(run);
  const history = await session.history();
  await recording(session, () => previewChange(history, request, common), allowDuplicateFlag);
}

async function change(
  run: Run,
  { safetyLabel, allowDuplicateFlag, ...options }: ChangeOptions,
): Promise<Result> {
  const { request, ui, session, parsed } = run;
  // Reads do without the history, and so start faster.
  const { recordChange } = await import('../../../history/changes/change.ts');
  const common = changeOptions(run);
  const history = await session.history();
  const { operation, parameters, body, bodyText } = request;
  const changed = await recording(
    session,
    () =>
      recordChange(
        history,
        { operation, parameters, body, bodyText, ...options, fresh: isOn(parsed, '--new') },
        { ...common, safetyLabel, onEarlier: (earlier) => noteEarlier(ui, earlier) },
      ),
    allowDuplicateFlag,
  );
  // Loaded on demand: only a restore has one.
  const restored = changed.safetyBackup && (await import('../result/restored.ts'));
  if (changed.kind === 'safety_backup') {
    noteRecording(ui, changed.safetyBackup);
    const { recordingError } = changed.safetyBackup;
    throw restored?.withoutRestore(run, changed, describeHistoryError(recordingError));
  }
  noteRecording(ui, changed);
  const { record, outcome, isEarlier } = changed;
  if (outcome.kind === 'applied') {
    rememberStoreName(history, record, outcome.body);
  }
  let applied: Applied;
  try {
    applied = expectApplied(run, outcome, record);
  } catch (error) {
    throw restored === null ? error : restored.withSafetyBackup(error, record);
  }
  noteOtherValues(run, applied);
  return { ...resultOf(applied, record), isEarlier };
}

export function resultOf({ body, text, etag }: Applied, record: HistoryRecord | null): Result {
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

/** Turns the errors of the history into the user's; for `allowDuplicateFlag` see {@link ChangeOptions}. */
export async function recording<Value>(
  { io }: Session,
  record: () => Promise<Value>,
  allowDuplicateFlag?: string,
): Promise<Value> {
  try {
    return await record();
  } catch (error) {
    if (io.signal.aborted && error instanceof HistoryError) throw cancelledError();
    throw describeHistoryError(error, allowDuplicateFlag);
  }
}

const findings = {
  applied: 'The response was lost, but a check shows that the change was applied.',
  untouched: 'A check shows that nothing has changed yet. The request may still be in progress.',
  other: 'A check shows something else than was sent.',
  unreadable: null,
} as const;

/** What the user should know about how an outcome was found out and written down. */
export function noteRecording(ui: Ui, { finding, recordingError }: Recorded): void {
  const { notice } = ui;
  const found = finding && findings[finding];
  if (found) notice(found, 'yellow');
  if (recordingError !== null)
    notice(line`The outcome could not be recorded: ${recordingError.message}`, 'yellow');
}

/** The records that a command with this result has applied. */
export function recordsOf({ record }: Result): readonly HistoryRecord[] {
  return record === null ? [] : [record];
}

/** Says where the service has other values than were sent. The change was applied, so it is no error. */
function noteOtherValues({ request, ui }: Run, { body }: Applied): void {
  for (const difference of differencesFromSent(request.body, body)) ui.notice(line`${difference}`, 'yellow');
}

/** Drift is a warning and not an error: it must not cost the user their answer. */
export function noteDrift({ noticeOnce }: Ui, { drift }: Applied): void {
  for (const one of drift) noticeOnce(line`unexpected response: ${one}`, 'yellow');
}
