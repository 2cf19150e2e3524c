import type { Readable, Writable } from 'node:stream';
import type { ProcessFacts } from '../../base/files/process-identity.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process as commands see it. Tests pass their own. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  readonly cwd: string;
  readonly process: ProcessFacts & Pick<NodeJS.Process, 'versions' | 'getBuiltinModule'>;
  /** Empty or not absolute if the user has no home directory. */
  readonly homeDirectory: string;
  /** Aborted on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** Set by the context and called before each question: shows the messages that --quiet holds back. */
  beforeQuestion?: (() => void) | undefined;
  /** Set by the first question, and closed when the command has ended. */
  keyboard?: Keyboard | undefined;
  /** Set by the first question; it gets what is written below. */
  transcript?: Transcript | undefined;
  /** Sends a signal to all programs of this job, as the terminal does for Ctrl-C, Ctrl-Z and Ctrl-\. */
  signalJob?(signal: 'SIGINT' | 'SIGTSTP' | 'SIGQUIT'): void;
  /** Calls `listener` when the process goes on after it was stopped. Returns how to take it back. */
  onContinue?(listener: () => void): () => void;
  /** Calls `stop` at the next Ctrl-C after the first, which would otherwise end the process. Returns how to take it back. */
  onSecondInterrupt?(stop: () => void): () => void;
  /** Runs `work` without reacting to Ctrl-C, because another program on the same terminal handles it, such as an editor. */
  ignoreInterruptsDuring?<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** The question that is on the screen. */
export interface KeyListener {
  /** Gets what is typed. */
  receive(bytes: Buffer): void;
  /** Leaves the screen to the shell, before the program stops. */
  leave(): void;
  /** Draws the question again, after the program was stopped. */
  redraw(): void;
}

/** The keyboard of a terminal whose user is asked, see keyboard.ts. */
export interface Keyboard {
  /** Gives what is typed from now on to a question, until the returned function is called. */
  listen(next: KeyListener): Promise<() => void>;
  /** What Ctrl-Z does. */
  suspend(): void;
  /**
   * Leaves the terminal to another program or another reader, until the returned function is called. If this one is stopped
   * meanwhile, `onContinue` is called when it goes on.
   */
  lend(onContinue?: () => void): () => void;
  close(): void;
}

/** What a user has entered at a question that is not answered yet. */
export interface Draft {
  /** What was typed. */
  line: string;
  /** Of a list to choose from: the values that are selected, and the one with the cursor. */
  checked?: readonly string[];
  active?: string | undefined;
}

/** What stands on the screen since the first question of a command, to remove an answer that the user goes back over. */
export interface Transcript {
  /** A question was answered, and takes these rows. */
  answered(question: string, rows: number): void;
  /** The user left a question, to go back. `draft` is what stood there. */
  wentBack(question: string, draft: Draft): void;
  /** What the user had entered when they left this question, or null. */
  draftOf(question: string): Draft | null;
  /** Something was written below, with the end of its last line. */
  wrote(text: string): void;
  /**
   * How many rows above the cursor to remove before this question is asked: those since its earlier answer if the user went
   * back to it, else 0.
   */
  takeBack(question: string): number;
}

/** The environment for another program, which needs no key. */
export function withoutKey({ STORECTL_API_KEY: _, ...env }: Environment): Environment {
  return env;
}

/** Whether an environment variable is set to anything but `0`, `false`, `no` or an empty text. */
export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}

/** Whether questions are lines of text that are never redrawn: for a screen reader, or a terminal that only scrolls. */
export function readsLines({ STORECTL_ACCESSIBLE, TERM }: Environment): boolean {
  return isSwitchedOn(STORECTL_ACCESSIBLE) || TERM === 'dumb';
}

/** Whether prompts are forbidden: `--no-input`, `STORECTL_NO_INPUT`, `CI`. */
export function isInputForbidden({ noInput }: { readonly noInput: boolean }, env: Environment): boolean {
  return noInput || isSwitchedOn(env.STORECTL_NO_INPUT) || isSwitchedOn(env.CI);
}

/** Columns that count for a terminal: 80 if it reports none, and 20 if it reports fewer, so that a word has room. */
export function usableColumns(reported: number | undefined): number {
  return Math.max(reported || 80, 20);
}

/** Whether to color a stream: terminals, unless `NO_COLOR` or `FORCE_COLOR` says otherwise (no-color.org, force-color.org). */
export function usesColors({ isTTY }: { readonly isTTY?: boolean }, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0';
  return isTTY === true && env.TERM !== 'dumb' && !isSwitchedOn(env.STORECTL_ACCESSIBLE);
}
