import type { Applied, Outcome } from '../../../client/outcome.ts';
import type { Batch } from '../../../history/batch/batch.ts';
import { HistoryError, KeyReusedError } from '../../../history/errors.ts';
import type { HistoryRecord } from '../../../history/record.ts';
import type { Sealed } from '../../../history/request-intent.ts';
import type { Performed as Recorded } from '../../../history/send.ts';
import { isOn } from '../../command/command-definition.ts';
import type { Context } from '../../command/context.ts';
import { CliError, cancelledError, localStateError, usageError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { isObject } from '../../core/json-value.ts';
import { printable } from '../../core/sanitize.ts';
import type { Run } from '../define-operation.ts';
import { outcomeError } from './outcome-error.ts';

/** An operation that was applied, or a read that was answered. */
export interface Performed {
  /** The JSON value that the service sent. */
  readonly answer: unknown;
  /** The same as text, as the service sent it. */
  readonly text: string;
  readonly etag: string | null;
  /** The record in the history, or null for a read. */
  readonly record: HistoryRecord | null;
  /** The id that `--quiet` prints, where it is not the answer's. */
  readonly id?: string;
}

/** Sends a run, recorded where it changes something. Every outcome but `applied` is thrown as the user's error. */
export async function perform(run: Run): Promise<Performed> {
  const { outcome, record } = run.operation.class === 'read' ? await read(run) : await change(run);
  const applied = expectApplied(run, outcome, record);
  noteDrift(run.context, [applied]);
  if (run.operation.class === 'read' && !isObject(applied.body)) throw unreadableAnswer(run);
  return { answer: applied.body, text: applied.text, etag: applied.etag, record };
}

/** As {@link perform}, in a batch. Drift is left to the caller. */
export async function performInBatch(
  run: Run,
  batch: Batch,
  prepared: Sealed,
): Promise<{ applied: Applied; record: HistoryRecord }> {
  const { outcome, record } = await recorded(run.context, () => batch.perform(prepared));
  return { applied: expectApplied(run, outcome, record), record };
}

function expectApplied(run: Run, outcome: Outcome, record: HistoryRecord | null): Applied {
  if (outcome.kind === 'applied') return outcome;
  throw outcomeError(outcome, {
    class: run.operation.class,
    fields: run.fields,
    recordId: record?.id ?? null,
    now: run.context.now(),
  });
}

/** Every read of the contract answers with an object: anything else must not look like one that is empty. */
function unreadableAnswer({ operation }: Run): CliError {
  return new CliError({
    code: 'unreadable_answer',
    exitCode: exitCodes.notApplied,
    message: `the service answered with success, and not with what ${operation.id} answers with`,
    hint: 'add --debug to see the answer; the address may be that of another service',
    outcome: 'applied',
  });
}

/** The record that {@link perform} would go on with instead of beginning anew, or null. */
export async function earlierRecord(run: Run): Promise<HistoryRecord | null> {
  if (run.operation.class !== 'keyed') return null;
  try {
    const { findEarlierRecord } = await import('../../../history/execute.ts');
    return await findEarlierRecord(await commandOf(run));
  } catch (error) {
    throw describeHistoryError(error);
  }
}

/** What the client takes besides the request, from the flags. */
export function sendOptions({ io, flags }: Context) {
  return {
    signal: io.signal,
    ...(flags.timeoutMs !== undefined && { timeoutMs: flags.timeoutMs }),
  };
}

async function read(run: Run): Promise<{ outcome: Outcome; record: null }> {
  const { context, connection, operation, parameters } = run;
  const outcome = await connection.client.call(operation, {
    ...sendOptions(context),
    parameters: { storeId: connection.storeId, ...parameters },
    body: null,
  });
  return { outcome, record: null };
}

/** The run's command in the words of the history. */
async function commandOf({ context, connection, operation, parameters, body, bodyText, parsed }: Run) {
  return {
    history: await context.history(),
    operation,
    origin: connection.origin,
    storeId: connection.storeId,
    parameters,
    body,
    bodyText,
    fresh: isOn(parsed, '--new'),
  };
}

async function change(run: Run): Promise<Recorded> {
  const { context, connection, parsed } = run;
  const { dim } = context.err.color;
  const say = (text: string) => context.notice(dim(printable(text)));
  // Reads do without the history, and so start faster.
  const { performRecorded } = await import('../../../history/execute.ts');
  const { makeIdempotencyKey } = await import('./idempotency-key.ts');
  const options = {
    ...sendOptions(context),
    ...(await commandOf(run)),
    client: connection.client,
    profile: connection.profile,
    secrets: [connection.secret],
    retryRateLimited: isOn(parsed, '--retry-rate-limited'),
  };
  return recorded(context, () =>
    performRecorded({
      ...options,
      ifMatch: run.ifMatch,
      former: run.former,
      safetyBackupId: run.safetyBackupId,
      makeKey: makeIdempotencyKey,
      ...(run.check && { check: run.check }),
      onEarlierRecord: (earlier, open) =>
        say(
          open
            ? `goes on with ${earlier.id} and its idempotency key, which is still open (--new makes a new one)`
            : `done before with this idempotency key: this is the answer to ${earlier.id}`,
        ),
      onWait: () => say('another storectl is at this operation: waiting for it'),
    }),
  );
}

/** Says what the history has to say besides, and throws what it throws as the user's error. */
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

/** Drift is a warning and not an error: it must not cost the user their answer. What several have in common is said once. */
export function noteDrift({ notice, err }: Context, answers: readonly Applied[]): void {
  for (const line of new Set(answers.flatMap(({ drift }) => drift)))
    notice(err.color.yellow(`the answer differs from the contract: ${printable(line)}`));
}

/** Several commands of one CI job have one key unless they are told apart. */
function adviceOnKey({ idempotencyKey }: HistoryRecord): string {
  return idempotencyKey?.startsWith('ci-') ? '; STORECTL_CI_JOB gives each command of a job its own' : '';
}

/** The user's error for one of the history's; any other error as it is. */
export function describeHistoryError(error: unknown): unknown {
  if (error instanceof KeyReusedError) {
    return usageError(
      error.message,
      `\`storectl history show ${error.earlier.id}\` shows what it was used for${adviceOnKey(error.earlier)}`,
      {
        code: error.code,
      },
    );
  }
  if (!(error instanceof HistoryError)) return error;
  if (error.code === 'record_not_found' || error.code === 'record_ambiguous') {
    return usageError(error.message, '`storectl history list` shows the ids', { code: error.code });
  }
  if (error.code === 'secret_in_record') {
    return usageError(error.message, 'a key belongs into no request body', { code: error.code });
  }
  const waits = error.code === 'history_busy' ? '; --timeout SECONDS says how long it is waited for' : '';
  return localStateError(error.code, error.message, `nothing was sent${waits}`);
}
