import type { openClient } from '../../client/client.ts';
import type { Client, ClientOptions } from '../../client/client-types.ts';
import type { Exchange } from '../../client/exchange.ts';
import { type ConnectionSettings, demoProfile, quoteLogin } from '../config/connection-settings.ts';
import { readKey } from '../config/read-key.ts';
import { quoteCommand } from '../core/command-text.ts';
import { CliError, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Io, isSwitchedOn } from '../core/io.ts';
import type { Demo } from './demo-service.ts';
import { inputNeeded, missingConnection } from './input-needed.ts';
import type { Waiting } from './status-line.ts';

/** Where a command's requests go. */
export interface Connection {
  readonly profile: string;
  readonly storeId: string;
  /** Base URL without its trailing slash. */
  readonly baseUrl: string;
  /** The API key, which no other part of a request may contain. */
  readonly secret: string;
  readonly client: Client;
  /** Calls `listener` after every HTTP exchange. */
  onExchange(listener: (exchange: Exchange) => void): void;
}

/** The address of a connection, and the API key for it. */
export type Target = Omit<Connection, 'client' | 'onExchange'>;

/** The client rejects proxy settings that are not URLs. */
export function makeClient(create: typeof openClient, options: ClientOptions): Client {
  try {
    return create(options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(error.message, 'fix or unset it', { code: 'invalid_setting' });
  }
}

/** A client whose requests show in a terminal what the command is waiting for. */
export function showingWaits(client: Client, { profile, baseUrl }: Target, { during }: Waiting): Client {
  const what = profile === demoProfile ? 'the demo store' : new URL(baseUrl).host;
  return {
    ...client,
    call: (operation, input) => during(what, () => client.call(operation, input)),
    send: (request, input) => during(what, () => client.send(request, input)),
  };
}

/** The demo service of this process. */
export function demoTarget({ origin, apiKey, example }: Demo, { storeId }: ConnectionSettings): Target {
  return {
    profile: demoProfile,
    storeId: storeId?.value ?? example.storeId,
    baseUrl: origin,
    secret: apiKey,
  };
}

/** The store of a profile. Throws exit 3 without a store or an address, and exit 4 without a key for this address. */
export async function storedTarget(
  settings: ConnectionSettings,
  io: Io,
  timeoutMs: number | undefined,
): Promise<Target> {
  const { profile, storeId, baseUrl, key, storedKeyUrl } = settings;
  if (storeId === null || baseUrl === null) throw inputNeeded(missingConnection(settings, io.env));
  if (key !== null) {
    const secret = await readKey(key, io, timeoutMs);
    return { profile, storeId: storeId.value, baseUrl: baseUrl.value, secret };
  }
  const other = storedKeyUrl === undefined ? '' : `, whose key is for ${storedKeyUrl}`;
  throw new CliError({
    code: 'no_key',
    exitCode: exitCodes.notAllowed,
    what: `no key for ${baseUrl.value} (profile ${profile}${other})`,
    next: isSwitchedOn(io.env.CI)
      ? [{ say: 'set STORECTL_API_KEY for this step, from a secret' }]
      : [
          { say: `run ${quoteLogin(profile)} or set STORECTL_API_KEY` },
          { say: `to try it without an account: ${quoteCommand('--demo', '…')}` },
        ],
    outcome: 'not_sent',
  });
}
