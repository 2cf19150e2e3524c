import { type ExitCode, exitCodes } from './core/exit-codes.ts';
import { processIo } from './core/process-io.ts';
import { printPrepared } from './program/prerendered.ts';

/** Runs the program with this process's arguments, to its exit code. */
export async function start(): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  if (await printPrepared(argv, process.stdout)) return exitCodes.done;
  // Typed by the completion scripts alone, while somebody waits for Tab: see completion/ids.ts.
  if (argv[0] === '__complete') {
    const { completeIds } = await import('./completion/ids.ts');
    process.stdout.write(completeIds(argv.slice(1), processIo()));
    return exitCodes.done;
  }
  const { main } = await import('./main.ts');
  return main(argv, processIo());
}
