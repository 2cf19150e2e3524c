import { buildPath } from '../../../contract/operation.ts';
import { fingerprint } from '../../../history/fingerprint.ts';
import type { History } from '../../../history/journal.ts';
import type { RecordQuery } from '../../../history/query.ts';
import { type HistoryRecord, lockName } from '../../../history/record.ts';
import { isOn } from '../../command/command-definition.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { formatDistance } from '../../output/format-value.ts';
import type { Run } from '../define-operation.ts';

const dayMs = 24 * 3_600_000;

/** Makes a one-shot run refuse to send what was sent to the same store within 24 hours, unless a flag overrides that. */
export function refuseRepeated(run: Run, flag: string): Run {
  const query: RecordQuery = { fingerprint: fingerprintOf(run), maxAgeMs: dayMs };
  return refuseAfter(run, query, 'the same content was sent to this store', flag);
}

/** Makes a run refuse a second request to the same path, whatever it says and however long ago the first was. */
export function refuseSecond(run: Run, what: string, flag: string): Run {
  const { operation, connection } = run;
  const query: RecordQuery = {
    operation: operation.id,
    origin: connection.origin,
    storeId: connection.storeId,
    path: pathOf(run),
  };
  return refuseAfter(run, query, what, flag);
}

function refuseAfter(run: Run, query: RecordQuery, what: string, flag: string): Run {
  if (isOn(run.parsed, flag)) return run;
  const check = async (history: History) => {
    const { records } = await history.list({ ...query, state: ['prepared', 'sent', 'applied', 'unknown'] });
    for (const found of records) {
      const record = await afterItsProcess(run, history, found);
      // Prepared and nobody at it: its process died before it sent anything.
      if (['sent', 'applied', 'unknown'].includes(record.state)) throw repeated(run, record, what, flag);
    }
  };
  return { ...run, check };
}

/** The record as it is when the process that is at work on it, if there is one, has ended. */
async function afterItsProcess(
  { context }: Run,
  history: History,
  record: HistoryRecord,
): Promise<HistoryRecord> {
  if (record.state !== 'prepared' && record.state !== 'sent') return record;
  return history.withLock(lockName(record), () => history.get(record.id), { signal: context.io.signal });
}

/** What the history knows the run's command by. */
function fingerprintOf(run: Run): string {
  const { operation, connection, body } = run;
  return fingerprint({
    operation: operation.id,
    origin: connection.origin,
    storeId: connection.storeId,
    path: pathOf(run),
    body: body && JSON.stringify(body),
  });
}

function pathOf({ operation, connection, parameters }: Run): string {
  return buildPath(operation, { ...parameters, storeId: connection.storeId });
}

function repeated({ context }: Run, record: HistoryRecord, what: string, flag: string): CliError {
  const age = formatDistance(Date.parse(record.createdAt) - context.now());
  const outcome = record.state === 'applied' ? 'applied' : 'perhaps applied';
  return new CliError({
    code: 'already_sent',
    exitCode: exitCodes.conflict,
    message: `${what} ${age} (${record.id}, ${outcome}); nothing was sent now`,
    hint: `\`storectl history show ${record.id}\` shows it; ${flag} sends it all the same`,
    outcome: 'not_sent',
    operationId: record.id,
  });
}
