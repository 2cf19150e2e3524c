import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { accessTo, temporaryFolder } from './cli.ts';

/** Node that runs the program: STORECTL_TEST_NODE, so that one Node can test the program on another. */
export const testNode = process.env.STORECTL_TEST_NODE ?? process.execPath;
/** The launcher: STORECTL_TEST_PROGRAM names the launcher of an installed package instead of this folder's. */
export const launcher = path.resolve(process.env.STORECTL_TEST_PROGRAM ?? 'bin/storectl.js');
/** The program as it is typed into a POSIX shell. */
export const programLine = `${shellWord(testNode)} ${shellWord(launcher)}`;

/** A text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export interface ProgramResult {
  /** Null when a signal ended the program. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Ends at once (`closed`, the default), stays open and says nothing (`silent`), or holds a text. */
  readonly stdin?: 'closed' | 'silent' | { readonly text: string };
  readonly cwd?: string;
  /** Script that Node loads before the program. */
  readonly preload?: string;
  /** File that standard output goes to instead of a pipe. */
  readonly stdoutFile?: number;
  /** It is killed if it still runs after this time. */
  readonly hangsAfterMs?: number;
}

interface RunningProgram {
  readonly process: ChildProcess;
  readonly ended: Promise<ProgramResult>;
  stdout(): string;
  stderr(): string;
  /** Resolves when standard output or standard error matches. Rejects when the program ends without it. */
  shown(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A user's machine on which the built program runs as a process of its own, with an environment of its own. */
export interface ProgramMachine {
  readonly folder: string;
  readonly stateDirectory: string;
  readonly configDirectory: string;
  /** The environment of every run. */
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], options?: ProgramOptions): Promise<ProgramResult>;
  start(args: readonly string[], options?: ProgramOptions): RunningProgram;
  /** Runs a line in the shell, as a user would paste it, with `storectl` on the path. */
  shell(line: string): Promise<ProgramResult>;
}

/** Longer than a command takes: one that hangs is killed before its test ends, and shows it by its signal. */
const COMMAND_HANGS_AFTER_MS = 25_000;
/** Longer than a service of a test runs. */
const HANGS_AFTER_MS = 180_000;

/** A new machine, removed when the test has finished. `env` holds for every run on it. */
export function newProgramMachine(env: Readonly<Record<string, string>> = {}): ProgramMachine {
  const folder = temporaryFolder();
  const machine = {
    folder,
    stateDirectory: path.join(folder, 'state'),
    configDirectory: path.join(folder, 'config'),
  };
  const all = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    // Compiled code may be shared: it is not the user's.
    XDG_CACHE_HOME: path.join(tmpdir(), 'storectl-test-cache'),
    TZ: 'UTC',
    STORECTL_STATE_DIR: machine.stateDirectory,
    STORECTL_CONFIG_DIR: machine.configDirectory,
    ...env,
  };
  const start = (args: readonly string[], options: ProgramOptions = {}) => {
    const preload = options.preload === undefined ? [] : ['--require', options.preload];
    return startProcess(testNode, [...preload, launcher, ...args], {
      hangsAfterMs: HANGS_AFTER_MS,
      ...options,
      cwd: options.cwd ?? folder,
      env: { ...all, ...options.env },
    });
  };
  return {
    ...machine,
    env: all,
    start,
    run: (args, options) => start(args, { hangsAfterMs: COMMAND_HANGS_AFTER_MS, ...options }).ended,
    shell(line) {
      const options = { cwd: folder, env: all, hangsAfterMs: HANGS_AFTER_MS };
      return startProcess('/bin/sh', ['-c', `storectl() { ${programLine} "$@"; }\n${line}`], options).ended;
    },
  };
}

/** A machine whose environment names a service, a store and a key. */
export function programMachineFor(
  target: Parameters<typeof accessTo>[0],
  env: Readonly<Record<string, string>> = {},
): ProgramMachine {
  return newProgramMachine({ ...accessTo(target), ...env });
}

function startProcess(
  file: string,
  args: readonly string[],
  options: ProgramOptions & Pick<SpawnOptions, 'cwd' | 'env'>,
): RunningProgram {
  mkdirSync(String(options.cwd), { recursive: true });
  const { stdin = 'closed' } = options;
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [stdin === 'closed' ? 'ignore' : 'pipe', options.stdoutFile ?? 'pipe', 'pipe'],
  });
  if (typeof stdin === 'object') child.stdin?.end(stdin.text);
  // A program that ends before it has read everything is not the test's error.
  child.stdin?.on('error', () => {});
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    changed();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    changed();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), options.hangsAfterMs);
  let over = false;
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      over = true;
      changed();
      resolve({ exitCode, signal, stdout, stderr });
    });
  });
  onTestFinished(async () => {
    if (!over) child.kill('SIGKILL');
    await ended;
  });
  return {
    process: child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    shown: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (found === null && !over) return;
          watchers.delete(look);
          if (found !== null) resolve(found);
          else reject(new Error(`the program ended without ${pattern}:\n${stdout}\n${stderr}`));
        };
        watchers.add(look);
        look();
      }),
  };
}
