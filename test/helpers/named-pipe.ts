import { execFileSync } from 'node:child_process';

/** A line for a shell that makes a named pipe. Copied with its kind, a pipe is one with a name: this needs no mkfifo. */
export const namedPipeLine = (name: string) => `: | cp -RL /dev/stdin '${name}'`;

/** Makes a named pipe. */
export function makeNamedPipe(file: string): void {
  execFileSync('sh', ['-c', namedPipeLine(file)]);
}
