import { EarlierRequestError, HistoryError, KeyReusedError } from '../../../history/errors.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import { CliError, localStateError, usageError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';

/** Several commands of one CI job share a key unless STORECTL_CI_JOB tells them apart. */
function adviceOnKey({ idempotencyKey }: HistoryRecord): string {
  return idempotencyKey?.startsWith('ci-')
    ? '; in CI, set STORECTL_CI_JOB to another value for each command of a job'
    : '';
}

/** Turns an error of the history into a CLI error; returns any other error unchanged. */
export function describeHistoryError(error: unknown): unknown {
  if (error instanceof KeyReusedError) {
    return usageError(
      error.message,
      `run \`storectl history show ${error.earlier.id}\` to see that request${adviceOnKey(error.earlier)}`,
      { code: error.code },
    );
  }
  if (error instanceof EarlierRequestError && error.earlier.state === 'applied') {
    return new CliError({
      code: 'already_sent',
      exitCode: exitCodes.conflict,
      message: `another command has just decided this dispute (${error.earlier.id}); nothing was sent`,
      hint: `run \`storectl history show ${error.earlier.id}\` to see it`,
      outcome: 'not_sent',
      operationId: error.earlier.id,
    });
  }
  if (error instanceof EarlierRequestError) {
    return new CliError({
      code: 'outcome_unknown',
      exitCode: exitCodes.unknown,
      message: `an earlier decision of this dispute (${error.earlier.id}) may have been applied; nothing was sent`,
      hint: `run \`storectl resume ${error.earlier.id}\` before you run the command again`,
      outcome: 'unknown',
      operationId: error.earlier.id,
    });
  }
  if (!(error instanceof HistoryError)) return error;
  if (error.code === 'record_not_found' || error.code === 'record_ambiguous') {
    return usageError(error.message, 'run `storectl history list` to see the ids', { code: error.code });
  }
  if (error.code === 'secret_in_record') {
    return usageError(error.message, 'remove the API key from the request', { code: error.code });
  }
  const waits = error.code === 'history_busy' ? '; add --timeout SECONDS to change how long to wait' : '';
  return localStateError(error.code, error.message, `nothing was sent${waits}`);
}
