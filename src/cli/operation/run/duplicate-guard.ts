import type { History } from '../../../history/history.ts';
import { fingerprint } from '../../../history/records/fingerprint.ts';
import type { RecordQuery } from '../../../history/records/query.ts';
import { type HistoryRecord, lockName } from '../../../history/records/record.ts';
import { type Intent, intentOf } from '../../../history/records/request-intent.ts';
import { type Fate, fatesAfterRestores } from '../../../history/restored-items.ts';
import type { Context } from '../../command/context.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { isOn } from '../../core/parsed-command.ts';
import { formatDistance } from '../../output/format-value.ts';
import type { HistoryCheck, Run } from './run.ts';

const dayMs = 24 * 3_600_000;

/** Refuses content that was sent to the same store within 24 hours, unless `flag` is given. */
export function refuseRepeated(run: Run, what: string, flag: string): HistoryCheck {
  const query: RecordQuery = { fingerprint: fingerprint(intentOfRun(run)), maxAgeMs: dayMs };
  const { operation, origin, storeId } = intentOfRun(run);
  return refuseAfter(run, query, `the same ${what} was already sent`, flag, async (history) =>
    fatesAfterRestores(operation, (await history.list({ origin, storeId })).records),
  );
}

/** Refuses a second request to the same path, whatever its body and age, unless `flag` is given. */
export function refuseSecond(run: Run, what: string, flag: string): HistoryCheck {
  const { operation, origin, storeId, path } = intentOfRun(run);
  return refuseAfter(run, { operation, origin, storeId, path }, what, flag);
}

function refuseAfter(
  { ui: { context, parsed } }: Run,
  query: RecordQuery,
  what: string,
  flag: string,
  readFates: (history: History) => Promise<(record: HistoryRecord) => Fate> = async () => () => 'exists',
): HistoryCheck {
  return async (history) => {
    if (isOn(parsed, flag)) return;
    const fateOf = await readFates(history);
    const { records } = await history.list({ ...query, state: ['prepared', 'sent', 'applied', 'unknown'] });
    for (const found of records) {
      const record = await waitForOwner(context, history, found);
      // A record that is still prepared belongs to a process that died before it sent anything.
      if (!['sent', 'applied', 'unknown'].includes(record.state)) continue;
      const fate = record.state === 'applied' ? fateOf(record) : 'exists';
      if (fate !== 'gone') throw repeated(context, record, what, flag, fate === 'maybe');
    }
  };
}

/** Waits for the process that owns the record, if it is still running, and reads the record again. */
async function waitForOwner(
  context: Context,
  history: History,
  record: HistoryRecord,
): Promise<HistoryRecord> {
  if (record.state !== 'prepared' && record.state !== 'sent') return record;
  return history.withLock(lockName(record), () => history.get(record.id), { signal: context.io.signal });
}

/** The run as the history knows it. */
function intentOfRun({ target, request }: Run): Intent {
  return intentOf({ ...target, ...request }, request.body);
}

function repeated(
  context: Context,
  record: HistoryRecord,
  what: string,
  flag: string,
  maybeGone: boolean,
): CliError {
  const age = formatDistance(Date.parse(record.createdAt) - context.now());
  const isApplied = record.state === 'applied';
  const look = isApplied
    ? `run \`storectl history show ${record.id}\` to see it`
    : `run \`storectl resume ${record.id}\` to find out whether it was applied`;
  return new CliError({
    code: 'already_sent',
    exitCode: exitCodes.conflict,
    message: `${what} ${age} (${record.id}, ${isApplied ? 'applied' : 'outcome unknown'}); nothing was sent this time`,
    hint: maybeGone
      ? `created before a backup was restored; it may be gone. Add ${flag} to create it again`
      : `${look}, or add ${flag} to send it anyway`,
    outcome: 'not_sent',
    operationId: record.id,
  });
}
