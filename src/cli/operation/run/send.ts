import { isObject } from '../../../base/json.ts';
import type { Applied, Outcome } from '../../../client/outcome.ts';
import { type Operation, pathParameters } from '../../../contract/operation.ts';
import { showDispute } from '../../../contract/operations/disputes.ts';
import { HistoryError } from '../../../history/errors.ts';
import type { Batch, Performed as Recorded } from '../../../history/history.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import type { FingerprintedIntent } from '../../../history/records/request-intent.ts';
import type { Context } from '../../command/context.ts';
import { listKnown, rememberDispute } from '../../command/known.ts';
import { minIdLength } from '../../command/short-id.ts';
import { parameterKinds } from '../../completion/known-values.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { CliError, cancelledError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { getPath } from '../../core/field-path.ts';
import { isOn } from '../../core/parsed-command.ts';
import { printable } from '../../core/sanitize.ts';
import { nounOf } from '../../input/path-parameter.ts';
import { fieldsToNameByFlag } from '../../input/request-body.ts';
import { differencesFromSent } from './compare-answer.ts';
import { describeHistoryError } from './history-error.ts';
import type { OperationCommand } from './operation-command.ts';
import { outcomeError } from './outcome-error.ts';
import type { ChangeOptions, OperationRequest, Performed, Run } from './run.ts';

/**
 * Says where a change goes before it is sent, and keeps the wait that the store asked an earlier command for. Throws exit 11
 * if the history is damaged: then nothing may be sent.
 */
export async function announce({ target, ui: { context } }: Run): Promise<void> {
  const { dim } = context.err.color;
  const host = target.profile === demoProfile ? '' : ` @ ${target.host}`;
  context.notice(dim(`${target.profile} → store ${target.storeId}${host}`));
  target.client.pause((await context.history()).waitFor(target));
}

/** Sends a run, recorded where it changes something. Every outcome but `applied` is thrown as the user's error. */
export async function perform(run: Run, options: ChangeOptions = {}): Promise<Performed> {
  const { operation } = run.request;
  const isRead = operation.class === 'read';
  const { outcome, record, isRecorded, isEarlier } = isRead
    ? { outcome: await read(run), record: null, isRecorded: false, isEarlier: false }
    : await change(run, options);
  const applied = await expectApplied(run, outcome, isRecorded ? record : null);
  noteDrift(run.ui.context, [applied]);
  if (!isRead) noteOtherValues(run, applied);
  if (isRead && !isObject(applied.body)) throw unreadableAnswer(operation);
  if (operation.id === showDispute.id)
    await rememberDispute(run.ui.context, run.target, getPath(applied.body, ['record']));
  return { answer: applied.body, text: applied.text, etag: applied.etag, record, isEarlier };
}

/** Sends the run of a command in its own way, if it has one. */
export function performCommand(
  { check, perform: performItsWay }: Pick<OperationCommand, 'check' | 'perform'>,
  run: Run,
): Promise<Performed> {
  return performItsWay?.(run) ?? perform(run, { check: check?.(run) });
}

/** A read that a write depends on: if it fails, the write was not sent. */
export async function readBeforeWrite(run: Run): Promise<Performed> {
  try {
    return await perform(run);
  } catch (error) {
    throw error instanceof CliError ? new CliError({ ...error.details, outcome: 'not_sent' }) : error;
  }
}

/** As {@link perform}, in a batch. Drift is left to the caller. */
export async function performInBatch(
  run: Run,
  batch: Batch,
  prepared: FingerprintedIntent,
): Promise<{ applied: Applied; record: HistoryRecord }> {
  const { outcome, record, isRecorded } = await recorded(run.ui.context, () => batch.perform(prepared));
  return { applied: await expectApplied(run, outcome, isRecorded ? record : null), record };
}

async function expectApplied(
  { target, request, ui }: Run,
  outcome: Outcome,
  record: HistoryRecord | null,
): Promise<Applied> {
  if (outcome.kind === 'applied') {
    if (record !== null) ui.context.applied.push(record);
    return outcome;
  }
  throw outcomeError(ui.context, outcome, {
    class: request.operation.class,
    fields: fieldsToNameByFlag(ui.fields, ui.parsed),
    recordId: record?.id ?? null,
    profile: target.profile,
    baseUrl: target.baseUrl,
    subject: {
      object: objectOf(request),
      storeId: target.storeId,
      listedBy:
        outcome.kind === 'rejected' && outcome.status === 404 ? await listOfShortened({ request, ui }) : null,
    },
  });
}

/** The noun whose list shows the whole id, if the one that was sent is a beginning of it that is too short. */
async function listOfShortened({ request, ui }: Pick<Run, 'request' | 'ui'>): Promise<string | null> {
  const { operation, parameters } = request;
  const name = pathParameters(operation).find((parameter) => parameter !== 'storeId') ?? '';
  const kind = parameterKinds[name];
  const text = parameters[name];
  if (kind === undefined || text === undefined || text.length >= minIdLength) return null;
  const known = await listKnown(ui.context, kind);
  return known.some(({ id }) => id.startsWith(text)) ? (operation.id.split('.')[0] ?? null) : null;
}

/** `dispute 4b…` for an operation with an id in its path, else null. */
function objectOf({ operation, parameters }: OperationRequest): string | null {
  const name = pathParameters(operation).find((parameter) => parameter !== 'storeId');
  if (name === undefined) return null;
  return `${nounOf(name)} ${parameters[name]}`;
}

/** Every read of the contract answers with an object: anything else must not look like one that is empty. */
function unreadableAnswer(operation: Operation): CliError {
  return new CliError({
    code: 'unreadable_answer',
    exitCode: exitCodes.notApplied,
    message: `the service accepted ${operation.id}, but its response is not the expected one`,
    hint: 'check the base URL, or add --debug to see the response',
    outcome: 'applied',
  });
}

/** The record that {@link perform} would go on with instead of beginning anew, or null. */
export async function earlierRecord(run: Run): Promise<HistoryRecord | null> {
  try {
    const { findEarlierRecord } = await import('../../../history/sending/execute.ts');
    return await findEarlierRecord(await commandOf(run));
  } catch (error) {
    throw describeHistoryError(error);
  }
}

/**
 * Settles an earlier decision of the same dispute that is in doubt. Throws exit 10 if it stays in doubt: a second one must
 * not be sent then.
 */
export async function settleEarlierDecision(run: Run): Promise<void> {
  const { settleEarlierDecision: settle } = await import('../../../history/sending/execute.ts');
  try {
    await settle({ ...sendOptions(run.ui.context), ...(await commandOf(run)), client: run.target.client });
  } catch (error) {
    throw describeHistoryError(error);
  }
}

/** What the client takes besides the request, from the flags. */
export function sendOptions({ io, flags }: Context) {
  return { signal: io.signal, timeoutMs: flags.timeoutMs };
}

function read({ target, request, ui }: Run): Promise<Outcome> {
  return target.client.call(request.operation, {
    ...sendOptions(ui.context),
    parameters: { storeId: target.storeId, ...request.parameters },
    body: null,
  });
}

/** The run as the history takes it. */
async function commandOf({ target, request, ui: { context, parsed } }: Run) {
  const { operation, parameters, body, bodyText } = request;
  return {
    history: await context.history(),
    operation,
    origin: target.origin,
    storeId: target.storeId,
    parameters,
    body,
    bodyText,
    fresh: isOn(parsed, '--new'),
  };
}

async function change(run: Run, options: ChangeOptions): Promise<Recorded & { readonly isEarlier: boolean }> {
  const { target, ui } = run;
  const { context } = ui;
  const { dim } = context.err.color;
  const say = (text: string) => context.notice(dim(printable(text)));
  // Reads do without the history, and so start faster.
  const { performRecorded } = await import('../../../history/sending/execute.ts');
  const { makeIdempotencyKey } = await import('../../../client/idempotency-key.ts');
  const command = {
    ...sendOptions(context),
    ...(await commandOf(run)),
    client: target.client,
    profile: target.profile,
    secrets: [target.secret],
    inBatch: options.inBatch ?? false,
  };
  let isEarlier = false;
  const performed = await recorded(context, () =>
    performRecorded({
      ...command,
      ifMatch: options.ifMatch,
      readAt: options.readAt,
      former: options.former,
      safetyBackupId: options.safetyBackupId,
      makeKey: makeIdempotencyKey,
      ...(options.check && { check: options.check }),
      onEarlierRecord(earlier, open) {
        isEarlier = !open;
        say(
          open
            ? `Sending ${earlier.id} again, because its outcome is unknown: with the same idempotency key it is applied only once.`
            : `Already applied (record ${earlier.id}); nothing was sent. Showing the response from then.`,
        );
      },
      onWait: () => say('Waiting for another storectl command to finish…'),
    }),
  );
  return { ...performed, isEarlier };
}

/** Shows the warnings of the history, and turns its errors into the user's. */
async function recorded({ io, notice, err }: Context, begin: () => Promise<Recorded>): Promise<Recorded> {
  try {
    const performed = await begin();
    for (const warning of performed.warnings) notice(err.color.yellow(printable(warning)));
    return performed;
  } catch (error) {
    if (io.signal.aborted && error instanceof HistoryError) throw cancelledError();
    throw describeHistoryError(error);
  }
}

/** Says where the service has other values than were sent. The change was applied, so it is no error. */
function noteOtherValues({ request, ui }: Run, { body }: Applied): void {
  const { notice, err } = ui.context;
  for (const line of differencesFromSent(request.body, body)) notice(err.color.yellow(printable(line)));
}

/** Drift is a warning and not an error: it must not cost the user their answer. A command says each difference once. */
export function noteDrift({ notice, err, drift: said }: Context, answers: readonly Applied[]): void {
  for (const line of answers.flatMap(({ drift }) => drift)) {
    if (said.has(line)) continue;
    said.add(line);
    notice(err.color.yellow(`unexpected response: ${printable(line)}`));
  }
}
