import { describeSystemError } from '../../../base/system-error.ts';
import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { CliError, localStateError, usageError } from '../../../cli/core/errors.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line, printableJson } from '../../../cli/core/sanitize.ts';
import { version } from '../../../cli/core/version.ts';
import { failureDocument } from '../../../cli/output/failure-text.ts';
import {
  type App,
  createApp,
  createHealth,
  createMetrics,
  defaultRetentionDays,
  type Listening,
  type ListenOptions,
  listen,
  parseSink,
  parseTrustedProxies,
  pruneDaily,
  type Storage,
  startWriter,
} from '../../../service/index.ts';
import { databaseOption, withStorage } from '../operator/database-options.ts';
import { readSetting, readSwitch, readWholeNumber, readWith } from '../operator/service-settings.ts';
import { asJson, createServiceLog, forPeople, type LogLevel, logLevels } from './service-log.ts';

export const command: CommandDefinition = {
  description: `Run the store management service until it is stopped (Ctrl-C, SIGTERM or SIGHUP). Without --database it keeps its
data in the state directory. It also delivers messages to the endpoints of the stores. For backups, upgrades, failover and
proxies, see docs/operating.md in the package.`,
  details: `Each request and each delivery attempt is logged on stderr: one JSON line, or a line to read if stderr is a terminal
(JSON there, too, with --json). With --json, the address and the database are on stdout once it listens; with --quiet, the
address alone, and no log. Each option can also be set by a
variable: STORECTL_SERVICE_PORT for --port, STORECTL_SERVICE_NO_DELIVERY=1 for --no-delivery. The command line wins.`,
  options: [
    { flag: '--host', value: 'ADDRESS', description: 'Address to listen on (default 127.0.0.1)' },
    { flag: '--port', value: 'N', description: 'Port to listen on (default 4010; 0 chooses a free one)' },
    databaseOption,
    { flag: '--pool-size', value: 'N', description: 'Connections to PostgreSQL (default 10)' },
    {
      flag: '--rate-limit',
      value: 'N',
      description:
        'Requests per second for each key, with bursts of twice as many (default 10; 0 for no limit)',
    },
    {
      flag: '--drain',
      value: 'SECONDS',
      description:
        'After SIGTERM or SIGHUP keep accepting requests for this time, while /readyz returns 503, so that load balancers stop sending (default 0)',
    },
    {
      flag: '--trusted-proxy',
      value: 'ADDRESSES',
      description:
        'Addresses or networks of proxies, comma-separated, whose X-Forwarded-For names the client (default: none)',
    },
    {
      flag: '--log-level',
      value: 'LEVEL',
      description: `Minimum log level: ${logLevels.join(', ')} (default info)`,
      complete: logLevels,
    },
    {
      flag: '--metrics-port',
      value: 'N',
      description: 'Port for GET /metrics, in Prometheus text format (default: none; 0 chooses a free one)',
    },
    {
      flag: '--metrics-host',
      value: 'ADDRESS',
      description: 'Address for /metrics (default 127.0.0.1); no key is required',
    },
    {
      flag: '--retention',
      value: 'DAYS',
      description: `Days to keep read notifications, delivered messages, used idempotency keys and the like; older ones are deleted once a day, as with \`service prune\` (default ${defaultRetentionDays}; 0 keeps everything)`,
    },
    { flag: '--no-delivery', description: 'Do not deliver messages (another process does)' },
    {
      flag: '--delivery-sink',
      value: 'URL',
      description: 'For tests: deliver to this receiver on this machine instead of Discord',
    },
  ],
  examples: ['service start', 'service start --port 8080 --database /var/lib/storectl/service.db'],
  async run({ ui, session, parsed }) {
    try {
      await serveUntilStopped(ui, session, parsed);
      return undefined;
    } catch (error) {
      if (!(error instanceof CliError) || ui.json || isWatched(ui)) throw error;
      // Whatever reads the log reads JSON.
      const { exitCode } = error.failure;
      const { code, message, hint } = failureDocument(error.failure, { now: Date.now() });
      const record = { time: new Date().toISOString(), level: 'error', code, message, hint };
      ui.notice(printableJson(JSON.stringify(record)));
      return { exitCode };
    }
  },
};

/** Whether a person reads the log, in a terminal. */
function isWatched({ io, json }: Ui): boolean {
  return io.stderr.isTTY === true && !json;
}

async function serveUntilStopped(ui: Ui, session: Session, parsed: ParsedCommand): Promise<void> {
  const host = readSetting(session, parsed, '--host').value ?? '127.0.0.1';
  const port = readWholeNumber(session, parsed, '--port', { max: 65_535, fallback: 4010 });
  const drainSeconds = readWholeNumber(session, parsed, '--drain', { max: 3_600, fallback: 0 });
  const retentionDays = readWholeNumber(session, parsed, '--retention', {
    max: 36_500,
    fallback: defaultRetentionDays,
  });
  const metricsAt = readMetricsAddress(session, parsed);
  const logLevel = readLogLevel(session, parsed);
  const sink = readWith(session, parsed, '--delivery-sink', parseSink, {
    must: 'be the http:// address of a receiver on this machine',
    example: 'http://127.0.0.1:8000',
  });
  const perSecond = readWholeNumber(session, parsed, '--rate-limit', { max: 999_999, fallback: 10 });
  const rateLimit = perSecond === 0 ? null : { perSecond, burst: 2 * perSecond };
  const isTrustedProxy = readWith(session, parsed, '--trusted-proxy', parseTrustedProxies, {
    must: 'be IP addresses or networks, comma-separated',
    example: '10.0.0.1,192.168.0.0/16',
  });
  const serve = async (storage: Storage, location: string) => {
    const observers: ((record: object) => void)[] = [];
    const output = ui.quiet ? { write() {} } : ui.io.stderr;
    const log = createServiceLog(
      output,
      logLevel,
      observers,
      isWatched(ui) ? forPeople(ui.err.color) : asJson,
    );
    const say = (level: LogLevel, message: string) => log({ level, message });
    const delivers = !readSwitch(session, parsed, '--no-delivery');
    const writer = await startWriter({ storage, location, delivers, sink, log });
    let server: Listening | undefined;
    let metricsServer: Listening | undefined;
    let pruning: ReturnType<typeof pruneDaily> | undefined;
    try {
      const health = createHealth(storage);
      const app = createApp({ storage, version, log, rateLimit, health, applyChange: writer.applyChange });
      // Requests come last: one that has been accepted would have to be drained if anything else failed.
      if (metricsAt !== null) {
        const metrics = await createMetrics(storage, writer.usage, health);
        observers.push(metrics.count);
        metricsServer = await listenAt(metrics.handler, metricsAt, ['--metrics-port', '--metrics-host']);
      }
      server = await listenAt(app, { host, port, log, isTrustedProxy }, ['--port', '--host']);
      if (retentionDays > 0) pruning = pruneDaily({ storage, retentionDays, log });
      for (const warning of storage.warnings) say('warn', `${warning}.`);
      if (ui.json) printJson(ui, { origin: server.origin, database: location });
      else if (ui.quiet) ui.print(line`${server.origin}`);
      say('info', `Listening on ${server.origin} with the database ${location}`);
      if (isWatched(ui)) say('info', 'Press Ctrl-C to stop.');
      if (metricsServer) say('info', `Metrics on ${metricsServer.origin}/metrics`);
      const stopped = new Promise<void>((resolve) => {
        if (session.io.signal.aborted) resolve();
        session.io.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([stopped, writer.failure]);
    } finally {
      if (server) say('info', 'Stopping.');
      // Deliveries keep the process alive.
      await Promise.all([
        server?.close({ drainMs: drainSeconds * 1000, idleMs }),
        writer.stopDeliveries(),
        pruning?.stop(),
      ]);
      await metricsServer?.close();
      await writer.close();
    }
  };
  await withStorage(session, parsed, serve, { mayBeNew: true });
}

/** How long idle connections stay open after a stop: a client may just be sending a request on one. */
const idleMs = 500;

/** Null without metrics. */
function readMetricsAddress(session: Session, parsed: ParsedCommand) {
  if (readSetting(session, parsed, '--metrics-port').value === undefined) return null;
  const host = readSetting(session, parsed, '--metrics-host').value ?? '127.0.0.1';
  const port = readWholeNumber(session, parsed, '--metrics-port', { max: 65_535, fallback: 9464 });
  return { host, port };
}

function readLogLevel(session: Session, parsed: ParsedCommand): LogLevel {
  const { name, value = 'info' } = readSetting(session, parsed, '--log-level');
  const level = logLevels.find((candidate) => candidate === value);
  if (level !== undefined) return level;
  throw usageError(`${name} must be one of ${logLevels.join(', ')} (got "${value}")`, 'the default is info');
}

/** Listens, or says which of two flags to change. */
async function listenAt(
  app: App,
  options: ListenOptions,
  [portFlag, hostFlag]: readonly [string, string],
): Promise<Listening> {
  const { host, port } = options;
  return listen(app, options).catch((error: unknown) => {
    throw localStateError(
      'cannot_listen',
      `cannot listen on ${host}:${port}: ${describeSystemError(error)}`,
      `choose another with ${portFlag} or ${hostFlag} (${portFlag} 0 chooses a free one)`,
    );
  });
}
