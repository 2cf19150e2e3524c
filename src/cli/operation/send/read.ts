import { isObject } from '../../../base/json.ts';
import type { Outcome } from '../../../client/outcome/outcome.ts';
import { HistoryError } from '../../../history/record/errors.ts';
import type { Session } from '../../command/session.ts';
import { CliError } from '../../core/errors.ts';
import type { Result, Run } from '../call/run.ts';
import { expectApplied, resultOfResponse, unreadableResponse } from '../result/expect-applied.ts';
import { withHistoryErrors } from './refusals.ts';

/** Sends a read. Throws the user's error for every outcome but `applied`. */
export async function read(run: Run): Promise<Result> {
  return resultOfRead(run, await readOutcome(run, await storeWaitOrNone(run.session)));
}

/** As {@link read}, for a read that a change depends on: a history that cannot be used is an error. */
export async function readBeforeWrite(run: Run): Promise<Result> {
  return resultOfRead(run, await askBeforeWrite(run));
}

/** As {@link readBeforeWrite}, with the outcome as data. */
export async function askBeforeWrite(run: Run): Promise<Outcome> {
  return readOutcome(run, await withHistoryErrors(run.session, () => storeWait(run.session)));
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
  if (!isObject(applied.body)) throw unreadableResponse(run.request.operation);
  return resultOfResponse(applied, null);
}

/** As {@link storeWait}; 0 if the history cannot be used, because that stops changes and not reads. */
export function storeWaitOrNone(session: Session): Promise<number> {
  return storeWait(session).catch((error: unknown) => {
    if (error instanceof HistoryError || error instanceof CliError) return 0;
    throw error;
  });
}

/** Milliseconds for which the store has asked earlier commands to send nothing. */
async function storeWait(session: Session): Promise<number> {
  return (await session.history()).storeWait();
}

/** The options of a request that follow from flags and from Ctrl-C. */
export function sendOptions({ io, flags }: Session) {
  return { signal: io.signal, timeoutMs: flags.timeoutMs };
}
