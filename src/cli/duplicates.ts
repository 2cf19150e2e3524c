import { buildPath } from '../contract/operation.ts';
import { fingerprint } from '../history/fingerprint.ts';
import type { History } from '../history/journal.ts';
import type { HistoryRecord } from '../history/record.ts';
import { isOn } from './command.ts';
import { CliError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import type { Run } from './operation-command.ts';
import { formatDistance } from './values.ts';

/** States of a record whose operation was applied, or may have been. */
const mayBeThere = ['sent', 'applied', 'unknown'] as const;

const dayMs = 24 * 3_600_000;

/** Makes a one-shot run refuse to send what was sent to the same store within 24 hours, unless a flag overrides that. */
export function refuseRepeated(run: Run, flag: string): Run {
  const check = async (history: History) => {
    const { records } = await history.list({
      fingerprint: fingerprintOf(run),
      state: mayBeThere,
      maxAgeMs: dayMs,
    });
    if (records[0]) throw repeated(run, records[0], 'the same content was sent to this store', flag);
  };
  return isOn(run.parsed, flag) ? run : { ...run, check };
}

/** Makes a run refuse a second request to the same path, whatever it says and however long ago the first was. */
export function refuseSecond(run: Run, what: string, flag: string): Run {
  const { operation, connection } = run;
  const check = async (history: History) => {
    const { records } = await history.list({
      operation: operation.id,
      origin: connection.origin,
      storeId: connection.storeId,
      path: pathOf(run),
      state: mayBeThere,
    });
    if (records[0]) throw repeated(run, records[0], what, flag);
  };
  return isOn(run.parsed, flag) ? run : { ...run, check };
}

/** What the history knows the run's command by. */
export function fingerprintOf(run: Run): string {
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
