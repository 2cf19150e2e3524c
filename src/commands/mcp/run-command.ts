import { Readable, Writable } from 'node:stream';
import { asObject, isObject, parseJson } from '../../base/json.ts';
import type { Context } from '../../cli/command/context.ts';
import type { ExitCode } from '../../cli/core/exit-codes.ts';
import type { Io } from '../../cli/core/io.ts';
import { main } from '../../cli/main.ts';

/** What a command did, read from its output. */
export interface CommandResult {
  readonly exitCode: ExitCode;
  /** The JSON document that it printed, or null. */
  readonly data: unknown;
  /** Lines for people. */
  readonly notes: readonly string[];
  /** The error object of `--json`, or null. */
  readonly error: Readonly<Record<string, unknown>> | null;
  /** Ids of the records that it applied, in order. */
  readonly applied: readonly string[];
  /** The API key that it used, which must not be in what it printed. */
  readonly secret: string | null;
}

export interface CommandCall {
  readonly argv: readonly string[];
  readonly stdin?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: Io['onProgress'];
}

/** Runs a command inside this process as in a pipe: the same code, history and guards as in a shell. */
export async function runCommand(
  io: Io,
  { argv, stdin, signal, onProgress }: CommandCall,
): Promise<CommandResult> {
  const stdout = collect(signal);
  const stderr = collect();
  let applied: readonly string[] = [];
  let ended: Context | undefined;
  const call: Io = {
    ...{
      stdin: Readable.from(stdin === undefined ? [] : [stdin]),
      stdout: stdout.stream,
      stderr: stderr.stream,
    },
    ...{ env: io.env, cwd: io.cwd, process: io.process, homeDirectory: io.homeDirectory, signal, onProgress },
  };
  const exitCode = await main(['--json', '--no-input', ...argv], call, (context) => {
    applied = context.applied.map(({ id }) => id);
    ended = context;
  });
  const lines = stderr.text().trimEnd().split('\n').filter(Boolean);
  const error = parse(lines.at(-1) ?? '', 'error');
  const settings = await ended?.settings().catch(() => null);
  return {
    exitCode,
    data: parse(stdout.text()),
    notes: error === undefined ? lines : lines.slice(0, -1),
    error: isObject(error) ? error : null,
    applied,
    secret: settings?.apiKey?.value ?? null,
  };
}

/** After `signal`, nobody reads what is written: then a write fails, so that a change does not count as reported. */
function collect(signal?: AbortSignal) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done(signal?.aborted ? new Error('the call was cancelled') : null);
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

/** The JSON value of a text or of its member; null, or undefined for a missing member, if there is none. */
function parse(text: string, member?: string): unknown {
  const value = parseJson(text);
  return member === undefined ? (value ?? null) : asObject(value)[member];
}
