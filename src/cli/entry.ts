import type { ExitCode } from './exit-codes.ts';
import { main } from './main.ts';
import { processIo } from './process-io.ts';

/** Runs the program with this process's arguments, to its exit code. */
export function start(): Promise<ExitCode> {
  return main(process.argv.slice(2), processIo());
}
