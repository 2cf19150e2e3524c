import { memoize } from '../../base/memoize.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { Exchange } from '../../client/exchange.ts';
import type { StoreHistory } from '../../history/history.ts';
import { keyVariable } from '../config/api-key.ts';
import {
  type ConnectionSettings,
  demoProfile,
  identityOf,
  resolveSettings,
} from '../config/connection-settings.ts';
import { configDirectory, demoDirectory, historyDirectory } from '../config/directories.ts';
import { openProfiles, type ProfileStore } from '../config/profile-store.ts';
import { CliError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Environment, type Io, isSwitchedOn } from '../core/io.ts';
import { line } from '../core/sanitize.ts';
import { version } from '../core/version.ts';
import { describeExchange, noteRetries } from '../output/describe-exchange.ts';
import {
  type Connection,
  demoTarget,
  makeClient,
  showingWaits,
  storedTarget,
  type Target,
} from './connection.ts';
import type { Demo } from './demo-service.ts';
import type { GlobalFlags } from './global-flags.ts';
import { inputNeeded, missingConnection } from './input-needed.ts';
import type { Ui } from './ui.ts';

/** The settings, connections and history of a command. Slow things, and those that can fail, are functions, which run on demand. */
export interface Session {
  readonly io: Io;
  readonly flags: Omit<GlobalFlags, 'json' | 'fields' | 'quiet'>;
  profiles(): Promise<ProfileStore>;
  settings(): Promise<ConnectionSettings>;
  /** Throws exit 3 without a store or an address, and exit 4 without a key. */
  connect(): Promise<Connection>;
  /** Connects to another store than the one in the settings. Throws exit 2 for proxy settings that are not URLs. */
  connectTo(target: Target): Promise<Connection>;
  /** The history of the store in use. Throws exit 3 without a store or an address. */
  history(): Promise<StoreHistory>;
  /** Starts the demo service on the first call. */
  demo(): Promise<Demo>;
}

/** A session, and how `main` ends it. */
export interface OpenSession {
  readonly session: Session;
  /** Releases what the command used. Never rejects, because the result of the command is known; `--debug` shows what failed. */
  close(): Promise<void>;
  /** Closes the logs of the command. `isReported`: the outcomes have reached the user. Else `resume` reports them. */
  endHistory(ended: { readonly isReported: boolean }): Promise<void>;
}

/** The profiles of a user who has stored none. */
const noProfiles = { current: () => null, get: () => null };

/** Whether flags and environment have everything that a profile would have. */
function isGiven({ store, baseUrl }: GlobalFlags, env: Environment): boolean {
  const where = (store ?? env.STORECTL_STORE_ID) && (baseUrl ?? env.STORECTL_BASE_URL);
  return Boolean(where) && keyVariable(env) !== null;
}

function isLocalState(error: unknown): error is CliError {
  return error instanceof CliError && error.failure.exitCode === exitCodes.localState;
}

/** Files, history and connections are opened on demand. */
export function openSession(io: Io, flags: GlobalFlags, ui: Ui): OpenSession {
  const { notice, writeAlways, waiting } = ui;
  const cleanups: (() => Promise<void>)[] = [];
  const listeners: ((exchange: Exchange) => void)[] = [];
  const isDebug = flags.debug || isSwitchedOn(io.env.STORECTL_DEBUG);
  if (isDebug) listeners.push((exchange) => writeAlways(describeExchange(exchange)));

  const profiles = memoize(async () =>
    openProfiles(configDirectory(io), io.process, (note) => notice(line`${note}`)),
  );
  const settings = memoize(async () => {
    try {
      return resolveSettings(flags, io.env, io.cwd, await profiles());
    } catch (error) {
      // A settings file that cannot be read does not stop a command that needs nothing of it.
      if (!isLocalState(error) || !isGiven(flags, io.env)) throw error;
      if (error.failure.code !== 'no_home')
        notice(line`the settings are not used: ${error.message}`, 'yellow');
      return resolveSettings(flags, io.env, io.cwd, noProfiles);
    }
  });
  const demo = memoize(async () => {
    const { startDemo } = await import('./demo-service.ts');
    const started = await waiting.during('the demo store', () => startDemo(demoDirectory(io)));
    cleanups.push(() => started.close());
    notice('demo: example data on this machine, not a real store', 'dim');
    return started;
  });

  let endHistory: OpenSession['endHistory'] = async () => {};
  const connectTo = async (target: Target): Promise<Connection> => {
    const { openClient: create } = await import('../../client/client.ts');
    const client = makeClient(create, {
      baseUrl: target.baseUrl,
      apiKey: target.secret,
      userAgent: `storectl/${version}`,
      env: io.env,
      stop: io.signal,
      onExchange: (exchange) => {
        if (exchange.status !== null) waiting.answered();
        for (const listener of listeners) listener(exchange);
      },
      onRetry: noteRetries((text) => notice(text, 'dim')),
    });
    cleanups.push(() => client.close());
    return {
      ...target,
      client: showingWaits(client, target, waiting),
      onExchange: (listener) => {
        listeners.push(listener);
      },
    };
  };
  const connect = memoize(async () => {
    const resolved = await settings();
    return connectTo(
      resolved.profile === demoProfile
        ? demoTarget(await demo(), resolved)
        : await storedTarget(resolved, io, flags.timeoutMs),
    );
  });
  const history = memoize(async () => {
    const { openHistory } = await import('../../history/history.ts');
    const resolved = await settings();
    const store = identityOf(resolved);
    if (store === null) throw inputNeeded(missingConnection(resolved, io.env));
    const debug = isDebug ? await import('../output/record-summary.ts') : null;
    const opened = openHistory({
      folder: historyDirectory(io, store),
      store,
      profile: resolved.profile,
      process: io.process,
      lockTimeoutMs: flags.timeoutMs,
      onDecision: debug ? (decision) => writeAlways(debug.describeDecision(decision)) : undefined,
    });
    endHistory = (ended) => opened.end(ended);
    return opened;
  });

  return {
    session: { io, flags, profiles, settings, connect, connectTo, history, demo },
    async close() {
      for (const cleanup of cleanups.reverse()) {
        try {
          await cleanup();
        } catch (error) {
          if (isDebug) writeAlways(line`could not close: ${describeSystemError(error)}`);
        }
      }
    },
    endHistory: (ended) => endHistory(ended),
  };
}
