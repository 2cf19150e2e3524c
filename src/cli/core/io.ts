import type { Readable, Writable } from 'node:stream';
import type { ProcessFacts } from '../../history/files/process-identity.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a process gives a command. Tests give their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  readonly cwd: string;
  readonly process: ProcessFacts & Pick<NodeJS.Process, 'versions' | 'getBuiltinModule'>;
  /** Empty, or no absolute path, where there is none. */
  readonly homeDirectory: string;
  /** Aborted when the user presses Ctrl-C or the process is asked to end. */
  readonly signal: AbortSignal;
  /** Runs `work` while Ctrl-C is the business of a program on the same terminal, such as an editor. */
  leaveInterrupts?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Whether an environment variable switches something on: set, and not to one of the ways to say no. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}

/** Whether nobody may be asked for anything: `--no-input`, `STORECTL_NO_INPUT`, `CI`. */
export function isInputForbidden({ noInput }: { readonly noInput: boolean }, env: Environment): boolean {
  return noInput || isSwitchedOn(env.STORECTL_NO_INPUT) || isSwitchedOn(env.CI);
}
