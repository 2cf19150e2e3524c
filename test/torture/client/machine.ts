import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Json, storeId } from '../operations.ts';
import { createDisk, type DiskEvent, type PowerCut } from './disk.ts';
import { callTool, type ToolCall } from './mcp-client.ts';

/** What happens to a client while it runs. Steps count from 1, see client-hook.cjs; 0 is never. */
export interface Mishaps {
  /** Wall clock when it starts, relative to the real one. */
  readonly offsetMs: number;
  readonly killAt: number;
  readonly fullAt: number;
  readonly jumpAt: number;
  readonly jumpMs: number;
  /** It is stopped there, until it is woken; null for never. */
  readonly stop: Stop | null;
  readonly system: System;
  /** Standard output goes to a full device. */
  readonly stdoutFull: boolean;
  /** `--output-file` is given, and goes to a full disk. */
  readonly outputFull: boolean;
  /** If it is killed, the power is cut with it; null where the system lives on. */
  readonly powerCut: PowerCut | null;
}

/** So many steps after its first lock, after its first record is in place, or after the response to its first write has begun. */
export interface Stop {
  readonly after: 'lock' | 'record' | 'response';
  /** Reads and locks count, too. */
  readonly steps: number;
}

/** What other clients can see of one: when it started, only that it runs, or nothing, as if it were on another host. */
export type System = 'linux' | 'no-start-times' | 'other-host';

/** Who the client is: the same store in another spelling, with another key or profile, or another path of the same host. */
export interface Identity {
  readonly place: Place;
  readonly spelling: 'plain' | 'slash' | 'upper-case';
  readonly key: 0 | 1;
  readonly profile: 'main' | 'other';
}

/** Behind the same address there are two services; their base URLs differ in the path only. */
export type Place = 'own' | 'other';

export const plainIdentity: Identity = { place: 'own', spelling: 'plain', key: 0, profile: 'main' };

/** What is started. */
export type Program =
  | { readonly does: 'command'; readonly args: readonly string[] }
  /** The library, called by a script. */
  | { readonly does: 'library'; readonly call: Json }
  /** `storectl mcp`, with an assistant that calls one tool. */
  | { readonly does: 'mcp'; readonly args: readonly string[]; readonly call: ToolCall };

export const noMishaps: Mishaps = {
  offsetMs: 0,
  killAt: 0,
  fullAt: 0,
  jumpAt: 0,
  jumpMs: 0,
  stop: null,
  system: 'linux',
  stdoutFull: false,
  outputFull: false,
  powerCut: null,
};

/** Something that the hook saw inside the client. `ms` is monotonic. */
type ClientEvent = { readonly ms: number } & (
  | { readonly event: 'connect'; readonly port: number }
  | { readonly event: 'send'; readonly method: string; readonly recorded?: boolean }
  | { readonly event: 'receive'; readonly port: number }
  | { readonly event: 'wait'; readonly waitMs: number; readonly port: number }
  | { readonly event: 'exit'; readonly steps: number }
  | { readonly event: 'stop' }
  | ({ readonly event: 'disk' } & DiskEvent)
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
  /** Resolves when it is stopped; false if it has ended before. */
  stopped(): Promise<boolean>;
  wake(): void;
}

/** A user's machine: folders of its own, and the built program. */
export interface Machine {
  readonly folder: string;
  /** Where records are, or one anew for each client where the machine forgets its history. */
  stateFolder(): string;
  start(
    program: Program,
    mishaps: Mishaps,
    options: { readonly hangsAfterMs: number; readonly identity: Identity },
  ): RunningClient;
  /** Takes away what the disk does not have for certain. No client may be running. */
  cutPower(cut: PowerCut): void;
  syncFolder(folder: string): void;
  writeFile(name: string, text: string): void;
  remove(): void;
}

export interface MachineOptions {
  readonly root: string;
  readonly folder: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly withoutHistory: boolean;
  /** See client-hook.cjs; null for a file system that works. */
  readonly fileSystemDefect: string | null;
  /** Folder of the built program. */
  readonly program: string;
}

/** How often the harness looks whether a client is stopped. */
const pollMs = 20;

/** Path of the other service's base URL. */
export const otherPath = '/production';

const keys = ['sk_live_torture_0123456789abcdef', 'sk_live_torture_another_fedcba98'];

function identityEnv(url: string, { place, spelling, key }: Identity): Record<string, string> {
  const base = url + (place === 'other' ? otherPath : '');
  return {
    STORECTL_API_KEY: keys[key] ?? '',
    STORECTL_STORE_ID: spelling === 'upper-case' ? storeId.toUpperCase() : storeId,
    STORECTL_BASE_URL: spelling === 'slash' ? `${base}/` : base,
  };
}

export function createMachine(options: MachineOptions): Machine {
  const { root, folder, withoutHistory, program: built } = options;
  const launcher = path.join(built, 'bin', 'storectl.js');
  const hook = path.join(root, 'test', 'torture', 'client', 'client-hook.cjs');
  const script = path.join(root, 'test', 'torture', 'client', 'library-client.mjs');
  let clients = 0;
  const stateFolder = () => path.join(folder, withoutHistory ? `state-${clients}` : 'state');
  const output = path.join(folder, 'output');
  const kept = path.join(folder, 'kept');
  const config = path.join(folder, 'config');
  for (const made of [output, kept, config]) mkdirSync(made, { recursive: true });
  // Store and key come from the environment, but a profile that is named has to be there.
  writeFileSync(path.join(config, 'settings.json'), JSON.stringify({ profiles: { other: {} } }), {
    mode: 0o600,
  });
  const disk = createDisk(stateFolder(), kept);

  const start: Machine['start'] = (program, mishaps, { hangsAfterMs, identity }) => {
    clients += 1;
    const log = path.join(folder, `events-${clients}.jsonl`);
    writeFileSync(log, '');
    const { stdoutFull, powerCut: _, ...steps } = mishaps;
    const full = stdoutFull ? openSync('/dev/full', 'w') : null;
    const profile = identity.profile === 'main' ? [] : ['--profile', identity.profile];
    const argv = program.does === 'library' ? [script] : [launcher, ...program.args, ...profile];
    const child = spawn(process.execPath, ['--require', hook, ...argv], {
      cwd: folder,
      stdio: [program.does === 'mcp' ? 'pipe' : 'ignore', full ?? 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        // What is compiled is the same for all machines.
        XDG_CACHE_HOME: path.join(root, 'node_modules', '.cache', 'torture'),
        TZ: 'UTC',
        CI: 'true',
        STORECTL_CONFIG_DIR: config,
        STORECTL_STATE_DIR: stateFolder(),
        ...identityEnv(options.url, identity),
        ...options.env,
        TORTURE_LIBRARY: path.join(built, 'dist', 'library'),
        TORTURE_CALL: program.does === 'library' ? JSON.stringify(program.call) : '',
        TORTURE_PLAN: JSON.stringify({
          log,
          state: stateFolder(),
          kept,
          output,
          defect: options.fileSystemDefect,
          ...steps,
        }),
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
    const endLater = () =>
      setTimeout(() => {
        hung = true;
        child.kill('SIGKILL');
      }, hangsAfterMs);
    let timer = endLater();
    const answer = program.does === 'mcp' ? callTool(child, program.call) : null;
    const result = new Promise<ClientResult>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', async (code) => {
        clearTimeout(timer);
        const ended = { exitCode: code, stdout, stderr, ...(await answer) };
        const events = readEvents(log);
        for (const event of events) if (event.event === 'disk') disk.note(event);
        if (code === null && mishaps.powerCut !== null) disk.cutPower(mishaps.powerCut);
        resolve({ ...ended, events, hung });
      });
    });
    const stopped = async () => {
      for (;;) {
        if (readEvents(log).some(({ event }) => event === 'stop')) return true;
        if (child.exitCode !== null || child.signalCode !== null) return false;
        await sleep(pollMs);
      }
    };
    const wake = () => {
      // While it was stopped, another client took its time.
      clearTimeout(timer);
      timer = endLater();
      child.kill('SIGCONT');
    };
    return { result, kill: () => child.kill('SIGKILL'), stopped, wake };
  };

  return {
    folder,
    stateFolder,
    start,
    cutPower: disk.cutPower,
    syncFolder: (file) => disk.note({ op: 'sync-folder', file }),
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
