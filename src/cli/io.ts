import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import type { ProcessFacts } from '../history/machine.ts';
import { cancelledError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a process gives a command. Tests give their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  readonly cwd: string;
  readonly process: ProcessFacts & Pick<NodeJS.Process, 'versions' | 'getBuiltinModule'>;
  readonly homeDirectory: string;
  /** Aborted when the user presses Ctrl-C or the process is asked to end. */
  readonly signal: AbortSignal;
  /** Runs `work` while Ctrl-C is the business of a program on the same terminal, such as an editor. */
  leaveInterrupts?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Reads standard input to its end as bytes. Throws exit 130 when the user gives up on it. */
export async function readStdin({ stdin, signal }: Pick<Io, 'stdin' | 'signal'>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw signal.aborted ? cancelledError() : error;
  }
  return Buffer.concat(chunks);
}

/** Whether an environment variable switches something on: set, and not to one of the ways to say no. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}
