import type { Context } from '../../cli/command/context.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../cli/core/exit-codes.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import type { Exchange } from '../../client/client.ts';
import { showSettings } from '../../contract/operations/settings.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';

/** Tries the key with a read that changes nothing, and compares the clocks by the answer's `Date`. */
export async function checkAccess(context: Context, timeoutMs: number): Promise<Finding[]> {
  let answered: { exchange: Exchange; at: number } | undefined;
  context.onExchange((exchange) => {
    answered = { exchange, at: context.now() };
  });
  try {
    const { client, storeId } = await context.connect();
    const outcome = await client.call(showSettings, {
      parameters: { storeId },
      body: null,
      signal: context.io.signal,
      timeoutMs,
    });
    const date = answered?.exchange.responseHeaders?.date;
    const clock = date === undefined || answered === undefined ? [] : checkClock(date, answered.at);
    if (outcome.kind === 'applied') return [ok('access', `the key works for store ${storeId}`), ...clock];
    if (outcome.kind !== 'rejected') {
      const mend = 'run `storectl doctor --debug` to see the exchange, and try again later';
      return [problem('access', outcome.failure.message, mend, exitCodes.notApplied), ...clock];
    }
    return [judgeRefusal(outcome.status, outcome.problem.message, storeId), ...clock];
  } catch (error) {
    if (error instanceof CliError) return [problemOf('access', error)];
    throw error;
  }
}

function judgeRefusal(status: number, message: string, storeId: string): Finding {
  const said = `the service answered ${status}: ${message}`;
  if (status === 403) return ok('access', 'the key works; it may not read settings');
  if (status === 401) {
    return problem(
      'access',
      `the key was refused (${said})`,
      'run `storectl auth login` with a new key',
      exitCodes.notAllowed,
    );
  }
  if (status === 404 || status === 410) {
    const mend = 'check the store id and the base URL, and that the key is for this store';
    return problem('access', `the service has no store ${storeId} for this key`, mend, exitCodes.notFound);
  }
  if (status === 425 || status === 429) return warning('access', said, 'wait, then run this again');
  return problem('access', said, 'check that the base URL is that of the service', exitCodeOfStatus(status));
}

const minuteMs = 60_000;

/** `date` is the answer's header, to the second; `at` is when it came by this machine's clock. */
function checkClock(date: string, at: number): Finding[] {
  const ahead = at - Date.parse(date);
  if (Number.isNaN(ahead)) return [];
  const off = Math.abs(ahead);
  if (off <= minuteMs) return [ok('clock', 'agrees with the service')];
  const distance = formatDistance(off).replace('in ', '');
  const message = `this machine's clock is ${distance} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`;
  const mend = 'set it from the network: `timedatectl set-ntp true`, or the date settings of the system';
  return [
    off > 5 * minuteMs
      ? problem('clock', message, mend, exitCodes.localState)
      : warning('clock', message, mend),
  ];
}
