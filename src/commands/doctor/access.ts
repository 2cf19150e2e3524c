import type { Connection, Context } from '../../cli/command/context.ts';
import { keyVariable, loginCommand } from '../../cli/config/connection-settings.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../cli/core/exit-codes.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { hintOfVersion } from '../../client/base-url.ts';
import type { Exchange } from '../../client/client.ts';
import { showSettings } from '../../contract/operations/settings.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';

/** Checks the key with a read-only request, and the clock by the `Date` header of the answer. */
export async function checkAccess(context: Context, timeoutMs: number): Promise<Finding[]> {
  let answered: { exchange: Exchange; at: number } | undefined;
  context.onExchange((exchange) => {
    answered = { exchange, at: context.now() };
  });
  try {
    const { client, profile, storeId, baseUrl } = await context.connect();
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
      const fix = 'run `storectl doctor --debug` to see the request and the response, or try again later';
      return [problem('access', outcome.failure.message, fix, exitCodes.notApplied), ...clock];
    }
    const { status, problem: said } = outcome;
    const variable = keyVariable(context.io.env);
    return [describeRefusal(status, said.message, { profile, storeId, baseUrl }, variable), ...clock];
  } catch (error) {
    if (error instanceof CliError) return [problemOf('access', error)];
    throw error;
  }
}

function describeRefusal(
  status: number,
  message: string,
  { profile, storeId, baseUrl }: Pick<Connection, 'profile' | 'storeId' | 'baseUrl'>,
  variable: string | null,
): Finding {
  const said = `the service answered ${status}: ${message}`;
  if (status === 403) return ok('access', 'the key works, but lacks the scope settings:read');
  if (status === 401) {
    return problem(
      'access',
      `the key was rejected (${said})`,
      variable === null
        ? `run \`${loginCommand(profile)}\` with a new key`
        : `set a new key in ${variable}, or unset it`,
      exitCodes.notAllowed,
    );
  }
  if (status === 404 || status === 410) {
    const fix =
      hintOfVersion(status, baseUrl) ??
      'check the store id and the base URL, and that the key is for this store';
    return problem(
      'access',
      `store ${storeId} not found, or the key is not for this store`,
      fix,
      exitCodes.notFound,
    );
  }
  if (status === 425 || status === 429) return warning('access', said, 'wait, then run the command again');
  return problem('access', said, 'check that the base URL is correct', exitCodeOfStatus(status));
}

const minuteMs = 60_000;

/** `date` is the `Date` header of the answer, `at` the time on this machine when it came (epoch milliseconds). */
function checkClock(date: string, at: number): Finding[] {
  const ahead = at - Date.parse(date);
  if (Number.isNaN(ahead)) return [];
  const off = Math.abs(ahead);
  if (off <= minuteMs) return [ok('clock', 'in sync with the service')];
  const distance = formatDistance(off).replace('in ', '');
  const message = `this machine's clock is ${distance} ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the service`;
  const fix = 'set it from the network: `timedatectl set-ntp true`, or the date settings of the system';
  return [
    off > 5 * minuteMs
      ? problem('clock', message, fix, exitCodes.localState)
      : warning('clock', message, fix),
  ];
}
