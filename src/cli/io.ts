import type { Readable, Writable } from 'node:stream';
import type { ProcessFacts } from '../history/machine.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a process gives a command. Tests give their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  readonly cwd: string;
  readonly process: ProcessFacts & Pick<NodeJS.Process, 'versions'>;
  readonly homeDirectory: string;
  /** Aborted when the user presses Ctrl-C or the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Reads a stream to its end as bytes. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Whether an environment variable switches something on: set, and not to one of the ways to say no. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}
