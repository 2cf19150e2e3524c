import { type ExitCode, exitCodes } from './exit-codes.ts';
import { printPrepared } from './prepared.ts';
import { processIo } from './process-io.ts';
import { version } from './version.ts';

/** Runs the program with this process's arguments, to its exit code. */
export async function start(): Promise<ExitCode> {
  const argv = process.argv.slice(2);
  // Asked by scripts and package managers all the time, and it needs no parser.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return exitCodes.done;
  }
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
