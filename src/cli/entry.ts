import { type ExitCode, exitCodes } from './core/exit-codes.ts';
import { processIo } from './core/process-io.ts';
import { printRendered } from './program/rendered-help.ts';

/** Runs the program with this process's arguments, to its exit code. */
export async function start(): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  // Run by the shells while the user waits for Tab.
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    process.stdout.write(await complete(argv.slice(1), processIo()));
    return exitCodes.done;
  }
  if (await printRendered(argv, process.stdout, process.env)) return exitCodes.done;
  const { main } = await import('./main.ts');
  return main(argv, processIo());
}
