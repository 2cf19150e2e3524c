import path from 'node:path';
import { type OptionSpec, optionValue, type ParsedCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, describeSystemError } from '../../cli/errors.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import { stateDirectory } from '../../cli/folders.ts';
import { openStorage, type Storage } from '../../service/index.ts';

export const databaseOption: OptionSpec = {
  flag: '--database',
  value: 'FILE',
  description: 'Database file (default: service.db in the state folder)',
  group: 'Options:',
};

/** Opens the database that the flag names, or the service's own, for as long as `work` takes. */
export async function withStorage<Result>(
  context: Context,
  parsed: ParsedCommand,
  work: (storage: Storage, location: string) => Promise<Result>,
): Promise<Result> {
  const location = path.resolve(
    context.io.cwd,
    optionValue(parsed, '--database') ?? path.join(stateDirectory(context.io), 'service', 'service.db'),
  );
  let storage: Storage;
  try {
    storage = await openStorage(location);
  } catch (error) {
    throw new CliError({
      code: 'database_unusable',
      exitCode: exitCodes.localState,
      message: `cannot open the database ${location}: ${describeSystemError(error)}`,
      hint: 'choose another file with --database, or check its permissions',
    });
  }
  try {
    return await work(storage, location);
  } finally {
    await storage.close();
  }
}
