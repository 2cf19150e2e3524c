import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.ts';

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The text on standard input, which then ends. Without it, standard input is empty. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Whether standard error says that it is a terminal. */
  readonly isTerminal?: boolean;
  /** Standard output and standard error are a terminal of this width; standard input is not one. */
  readonly columns?: number;
  /** Gets what is written to either stream, when it is written. */
  readonly onOutput?: (text: string) => void;
}

/** A user's machine: separate folders for settings and state, an empty working folder, no other environment. */
export interface Machine {
  readonly folder: string;
  readonly configDirectory: string;
  readonly stateDirectory: string;
  /** Runs the program inside this process, as in a pipe: real HTTP and real files, no terminal. */
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
}

/** A new machine, removed when the test has finished. `env` holds for every run on it. */
export function newMachine(env: Readonly<Record<string, string>> = {}): Machine {
  const folder = temporaryFolder();
  const configDirectory = path.join(folder, 'config');
  const stateDirectory = path.join(folder, 'state');
  return {
    folder,
    configDirectory,
    stateDirectory,
    async run(args, options = {}) {
      const stdin = new PassThrough();
      stdin.end(options.stdin ?? '');
      const { columns, isTerminal = columns !== undefined } = options;
      const screen = columns === undefined ? {} : { isTTY: true, columns, rows: 1000 };
      const stdout = collect(options.onOutput);
      const stderr = collect(options.onOutput);
      const exitCode = await main(args, {
        stdin,
        stdout: Object.assign(stdout.stream, screen),
        stderr: Object.assign(stderr.stream, { ...screen, isTTY: isTerminal }),
        env: {
          STORECTL_CONFIG_DIR: configDirectory,
          STORECTL_STATE_DIR: stateDirectory,
          ...env,
          ...options.env,
        },
        cwd: folder,
        process,
        homeDirectory: folder,
        signal: options.signal ?? new AbortController().signal,
      });
      return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
    },
  };
}

/** A machine whose environment names a service, a store and a key. */
export function machineFor(access: Access): Machine {
  return newMachine(accessTo(access));
}

export interface Access {
  readonly origin: string;
  readonly storeId: string;
  readonly apiKey: string;
}

/** The environment that names a service, a store and a key. */
export function accessTo({ origin, storeId, apiKey }: Access) {
  return { STORECTL_BASE_URL: origin, STORECTL_STORE_ID: storeId, STORECTL_API_KEY: apiKey };
}

/** A folder that is removed when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function collect(onOutput: (text: string) => void = () => {}) {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    onOutput(chunk.toString('utf8'));
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
