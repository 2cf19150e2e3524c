import { type CommandDefinition, optionValue } from '../../cli/command.ts';
import { CliError, systemErrorCode, usageError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { version } from '../../cli/version.ts';
import { createApp, listen } from '../../service/index.ts';
import { databaseOption, withStorage } from './database-options.ts';

const group = 'Options:';

export const command: CommandDefinition = {
  description: `Run the store management service until it is told to stop (Ctrl-C or SIGTERM). Without --database it keeps
its data in the state folder. Each request is one JSON line on stderr.`,
  options: [
    { flag: '--host', value: 'ADDRESS', description: 'Address to listen on (default 127.0.0.1)', group },
    {
      flag: '--port',
      value: 'N',
      description: 'Port to listen on (default 4010; 0 takes a free one)',
      group,
    },
    databaseOption,
  ],
  examples: ['service start', 'service start --port 8080 --database /var/lib/storectl/service.db'],
  async run(context, parsed) {
    const host = optionValue(parsed, '--host') ?? '127.0.0.1';
    const port = Number(optionValue(parsed, '--port') ?? '4010');
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw usageError('--port takes a number from 0 to 65535', 'for example --port 4010');
    }
    return withStorage(context, parsed, async (storage, location) => {
      const log = (line: object) => context.notice(JSON.stringify(line));
      const app = createApp({ storage, version, log });
      const server = await listen(app, { host, port }).catch((error: unknown) => {
        throw listenError(host, port, error);
      });
      context.print(`Listening on ${server.origin}`);
      context.notice(`Database ${location}. Press Ctrl-C to stop.`);
      await new Promise<void>((resolve) => {
        if (context.io.signal.aborted) resolve();
        context.io.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await server.close();
      return undefined;
    });
  },
};

function listenError(host: string, port: number, error: unknown): CliError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is taken',
    EACCES: 'this user may not listen there',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no such host name',
  };
  const code = systemErrorCode(error) ?? '';
  return new CliError({
    code: 'cannot_listen',
    exitCode: exitCodes.localState,
    message: `cannot listen on ${host}:${port}: ${reasons[code] ?? (error instanceof Error ? error.message : code)}`,
    hint: 'choose another with --port or --host (--port 0 takes a free one)',
  });
}
