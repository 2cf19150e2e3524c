import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Json, storeId } from '../operations.ts';

/** What happens to a client while it runs. Steps count from 1, see client-hook.cjs; 0 is never. */
export interface Mishaps {
  /** Wall clock when it starts, relative to the real one. */
  readonly offsetMs: number;
  readonly killAt: number;
  readonly fullAt: number;
  readonly jumpAt: number;
  readonly jumpMs: number;
  /** Standard output goes to a full device. */
  readonly stdoutFull: boolean;
  /** `--output-file` is given, and goes to a full disk. */
  readonly outputFull: boolean;
}

export const noMishaps: Mishaps = {
  offsetMs: 0,
  killAt: 0,
  fullAt: 0,
  jumpAt: 0,
  jumpMs: 0,
  stdoutFull: false,
  outputFull: false,
};

/** Something that the hook saw inside the client. `ms` is monotonic. */
type ClientEvent = { readonly ms: number } & (
  | { readonly event: 'connect'; readonly port: number }
  | { readonly event: 'send'; readonly method: string; readonly recorded?: boolean }
  | { readonly event: 'receive'; readonly port: number }
  | { readonly event: 'wait'; readonly waitMs: number }
  | { readonly event: 'exit'; readonly steps: number }
);

export interface ClientResult {
  /** Null for one that was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly ClientEvent[];
  /** It went on for so long after its `--timeout` that the harness killed it. */
  readonly hung: boolean;
}

export interface RunningClient {
  readonly result: Promise<ClientResult>;
  kill(): void;
}

/** A user's machine: folders of its own, and the built program. */
export interface Machine {
  readonly folder: string;
  /** Where records are, or one anew for each client where the machine forgets its history. */
  stateFolder(): string;
  start(args: readonly string[], mishaps: Mishaps, hangsAfterMs: number): RunningClient;
  writeFile(name: string, text: string): void;
  remove(): void;
}

export interface MachineOptions {
  readonly root: string;
  readonly folder: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly withoutHistory: boolean;
}

export function createMachine(options: MachineOptions): Machine {
  const { root, folder, withoutHistory } = options;
  const launcher = process.env.STORECTL_TEST_PROGRAM ?? path.join(root, 'bin', 'storectl.js');
  const hook = path.join(root, 'test', 'torture', 'client', 'client-hook.cjs');
  let clients = 0;
  const stateFolder = () => path.join(folder, withoutHistory ? `state-${clients}` : 'state');
  const output = path.join(folder, 'output');
  mkdirSync(output, { recursive: true });

  function start(args: readonly string[], mishaps: Mishaps, hangsAfterMs: number): RunningClient {
    clients += 1;
    const log = path.join(folder, `events-${clients}.jsonl`);
    writeFileSync(log, '');
    const { stdoutFull, ...steps } = mishaps;
    const full = stdoutFull ? openSync('/dev/full', 'w') : null;
    const child = spawn(process.execPath, ['--require', hook, launcher, ...args], {
      cwd: folder,
      stdio: ['ignore', full ?? 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        // What is compiled is the same for all machines.
        XDG_CACHE_HOME: path.join(root, 'node_modules', '.cache', 'torture'),
        TZ: 'UTC',
        CI: 'true',
        STORECTL_API_KEY: 'sk_live_torture_0123456789abcdef',
        STORECTL_STORE_ID: storeId,
        STORECTL_BASE_URL: options.url,
        STORECTL_CONFIG_DIR: path.join(folder, 'config'),
        STORECTL_STATE_DIR: stateFolder(),
        ...options.env,
        TORTURE_PLAN: JSON.stringify({ log, state: stateFolder(), output, ...steps }),
      },
    });
    if (full !== null) closeSync(full);
    let stdout = '';
    let stderr = '';
    let hung = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, hangsAfterMs);
    const result = new Promise<ClientResult>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => {
        clearTimeout(timer);
        resolve({ exitCode, stdout, stderr, events: readEvents(log), hung });
      });
    });
    return { result, kill: () => child.kill('SIGKILL') };
  }

  return {
    folder,
    stateFolder,
    start,
    writeFile: (name, text) => writeFileSync(path.join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readEvents(log: string): ClientEvent[] {
  // A client that is killed may leave half a line.
  return readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The JSON error at the end of standard error, or null. */
export function errorOf({ stderr }: Pick<ClientResult, 'stderr'>): Json | null {
  const line = stderr
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{"error"'));
  if (line === undefined) return null;
  return (JSON.parse(line) as { error: Json }).error;
}

/** The JSON document on standard output, or null. */
export function documentOf({ stdout }: Pick<ClientResult, 'stdout'>): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}
