import { isObject } from '../../../base/json.ts';
import type { Outcome } from '../../../client/outcome/outcome.ts';
import { HistoryError } from '../../../history/record/errors.ts';
import type { Session } from '../../command/session.ts';
import { CliError } from '../../core/errors.ts';
import type { Result, Run } from '../call/run.ts';
import { expectApplied, resultOfResponse, unreadableAnswer } from '../result/expect-applied.ts';
import { withHistoryErrors } from './refusals.ts';

/** The answer of a read. Any other outcome than `applied` is thrown as the user's error. */
export async function read(run: Run): Promise<Result> {
  return resultOfRead(run, await readOutcome(run, await storeWaitOrNone(run.session)));
}

/** A read that a write depends on: a damaged history stops it. */
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
  if (!isObject(applied.body)) throw unreadableAnswer(run.request.operation);
  return resultOfResponse(applied, null);
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

/** What the client takes besides the request, from the flags. */
export function sendOptions({ io, flags }: Session) {
  return { signal: io.signal, timeoutMs: flags.timeoutMs };
}
