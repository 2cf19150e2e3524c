import { constants, openSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describeSystemError } from '../../base/system-error.ts';
import { quoteCommand } from '../core/command-text.ts';
import { CliError, cancelledError, type Next, usageError } from '../core/errors.ts';
import { exitCodes } from '../core/exit-codes.ts';
import { type Io, withoutKey } from '../core/io.ts';
import { checkKey, type KeyOrigin } from './api-key.ts';

interface KeyIo extends Pick<Io, 'stdin' | 'env' | 'process' | 'signal'> {
  /** How long a command or a pipe may take, in milliseconds: at most {@link maxTimeoutMs}. */
  readonly timeoutMs: number;
}

/** How long a command or a pipe may take to give the key. */
const maxTimeoutMs = 30_000;
/** Far more than any key has. */
const maxBytes = 64 * 1024;
/** How often a named pipe is looked at that nobody writes into yet, in milliseconds. */
const pipePollMs = 50;

/** The key. `timeoutMs` shortens the wait for it, in milliseconds. Throws exit 2 for what cannot be one, exit 4 where it cannot be read, and exit 130 on Ctrl-C. */
export async function readKey(
  key: KeyOrigin,
  { stdin, env, process, signal }: Io,
  timeoutMs = maxTimeoutMs,
): Promise<string> {
  const io = { stdin, env, process, signal, timeoutMs: Math.min(timeoutMs, maxTimeoutMs) };
  if (key.kind === 'text') return key.text;
  if (key.kind === 'file')
    return checkKey((await readKeyFile(key.file, io)).trim(), `the key in ${key.file}`);
  const [first = ''] = (await runKeyCommand(key, io)).split(/\r?\n/, 1);
  return checkKey(first.trim(), 'the key that the command prints');
}

/** There is no key, so it is exit 4, as without one. */
function noKey(code: string, what: string, next: Next): CliError {
  return usageError(what, next, { code, exitCode: exitCodes.notAllowed });
}

/** A file, or a pipe such as `<(pass store)` or standard input. */
async function readKeyFile(file: string, io: KeyIo): Promise<string> {
  try {
    if (['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file)) return await readStandardInput(io);
    const found = statSync(file);
    if (found.isFIFO()) return await readPipe(file, io);
    if (!found.isFile()) throw new Error('not a file or a pipe');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw noKey(
      'key_file_unreadable',
      `cannot read the key from ${file} (STORECTL_API_KEY_FILE): ${describeSystemError(error)}`,
      'set STORECTL_API_KEY_FILE to a readable file or pipe, or unset it',
    );
  }
}

async function readStandardInput(io: KeyIo): Promise<string> {
  if (io.stdin.isTTY === true) {
    throw noKey(
      'key_file_unreadable',
      'STORECTL_API_KEY_FILE is the terminal',
      `run ${quoteCommand('auth', 'login')} to type the key`,
    );
  }
  return readToEnd(io.stdin, io, Date.now() + io.timeoutMs);
}

/** Waits for somebody who writes into a named pipe. One that a process has opened for this one is at its end otherwise. */
async function readPipe(file: string, io: KeyIo): Promise<string> {
  const { Socket } = await import('node:net');
  const isNamed = !/^\/(dev\/fd|proc)\//.test(file);
  const deadline = Date.now() + io.timeoutMs;
  for (;;) {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const text = await readToEnd(new Socket({ fd, readable: true, writable: false }), io, deadline);
    if (text !== '' || !isNamed) return text;
    if (Date.now() > deadline) throw nothingCame(io);
    await new Promise((resolve) => setTimeout(resolve, pipePollMs));
    if (io.signal.aborted) throw cancelledError();
  }
}

function nothingCame({ timeoutMs }: KeyIo): Error {
  return new Error(`nothing came within ${timeoutMs / 1000} s`);
}

async function readToEnd(stream: Readable, io: KeyIo, deadline: number): Promise<string> {
  const { signal } = io;
  const { addAbortSignal } = await import('node:stream');
  const late = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
  let text = '';
  try {
    for await (const chunk of addAbortSignal(AbortSignal.any([signal, late]), stream)) {
      text += String(chunk);
      if (text.length > maxBytes) throw new Error('more than a key');
    }
    return text;
  } catch (error) {
    if (signal.aborted) throw cancelledError();
    throw late.aborted ? nothingCame(io) : error;
  }
}

/** What the command prints. It has no terminal, and no key in its environment. */
async function runKeyCommand(
  { command, source }: KeyOrigin & { readonly kind: 'command' },
  { env, process, signal, timeoutMs }: KeyIo,
): Promise<string> {
  const { spawn } = await import('node:child_process');
  const from = source === 'environment' ? ' (STORECTL_API_KEY_COMMAND)' : '';
  const fail = (why: string) =>
    noKey(
      'key_command_failed',
      `the command for the key${from} failed: ${why}`,
      `run it in a terminal to see why: ${command}`,
    );
  const ownGroup = process.platform !== 'win32';
  const child = spawn(command, {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
    env: { ...withoutKey(env) },
    windowsHide: true,
  });
  const end = () => {
    if (child.pid === undefined) return;
    if (ownGroup) process.kill(-child.pid, 'SIGKILL');
    else child.kill();
  };
  const late = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, late]);
  stop.addEventListener('abort', end, { once: true });
  try {
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        if (output[name].length < maxBytes) output[name] += String(chunk);
      });
    }
    const code = await new Promise<number | string | null>((resolve, reject) => {
      child.on('error', (error) => reject(fail(describeSystemError(error))));
      child.on('close', (status, reason) => resolve(status ?? reason));
    });
    if (signal.aborted) throw cancelledError();
    if (late.aborted) throw fail(`it did not end within ${timeoutMs / 1000} s`);
    const [said = ''] = output.stderr.trim().split('\n', 1);
    if (code !== 0) throw fail(`exit status ${code}${said === '' ? '' : ` (${said})`}`);
    return output.stdout;
  } finally {
    stop.removeEventListener('abort', end);
  }
}
