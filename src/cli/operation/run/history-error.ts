import { HistoryError, KeyReusedError } from '../../../history/errors.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import { localStateError, usageError } from '../../core/errors.ts';

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
