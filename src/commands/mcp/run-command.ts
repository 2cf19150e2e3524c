import { Readable, Writable } from 'node:stream';
import { parseJson } from '../../base/json.ts';
import type { ProgramEnd } from '../../cli/command/command-definition.ts';
import type { Setup, Tool } from './tools.ts';

/** What a command did. */
export interface CommandEnd extends Pick<ProgramEnd, 'exitCode' | 'error'> {
  /** The JSON document that it printed, or null. */
  readonly data: unknown;
  /** Id of the last record that it applied. */
  readonly appliedId: string | undefined;
  /** The API key that it used, which must not be in what it printed. */
  readonly secret: string | null;
}

interface CommandCall {
  readonly words: readonly string[];
  /** Options, then `--` and arguments if there are any. */
  readonly argv?: readonly string[];
  readonly stdin?: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs a command inside this process as in a pipe: the same code, history and guards as in a shell. */
export async function runCommand(
  { io, program, argv: own }: Setup,
  { words, argv = [], stdin, signal }: CommandCall,
): Promise<CommandEnd> {
  const chunks: Buffer[] = [];
  // Nobody reads the result of a call that was cancelled, so a change must not count as reported.
  const ended = () => (signal.aborted ? new Error('the call was cancelled') : null);
  const stdout = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done(ended());
    },
  });
  const { exitCode, error, applied, session } = await program.run(
    ['--json', '--no-input', ...words, ...own, ...argv],
    {
      stdin: Readable.from(stdin === undefined ? [] : [stdin]),
      stdout,
      // For people. What an assistant needs is in the data and in the error.
      stderr: new Writable({ write: (_chunk, _encoding, done) => done(ended()) }),
      env: io.env,
      cwd: io.cwd,
      process: io.process,
      homeDirectory: io.homeDirectory,
      signal,
    },
  );
  const connection = await session?.connect().catch(() => null);
  return {
    exitCode,
    error,
    data: parseJson(Buffer.concat(chunks).toString('utf8')) ?? null,
    appliedId: applied.at(-1)?.id,
    secret: connection?.secret ?? null,
  };
}

export type Inputs = Readonly<Record<string, unknown>>;

/** Runs the command of a tool. With `isDryRun`, it prints the request and sends nothing. */
export function runTool(
  setup: Setup,
  tool: Tool,
  inputs: Inputs,
  { signal, isDryRun = false }: { readonly signal: AbortSignal; readonly isDryRun?: boolean },
): Promise<CommandEnd> {
  const { words, flags, spec } = tool;
  const names = Object.keys(spec.inputs ?? {});
  // Every value is joined to its option or stands after `--`, so that none can become an option.
  const given = [...flags].flatMap(([name, flag]) => {
    const value = inputs[name] ?? tool.given[name]?.default;
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [`${flag}=${value}`];
  });
  const others = new Set([...names, ...flags.keys(), 'confirm']);
  const fields = Object.entries(inputs).filter(([name]) => !others.has(name));
  const argv = [
    ...(spec.argv ?? []),
    ...given,
    ...(isDryRun ? ['--dry-run'] : []),
    ...(inputs.confirm === undefined ? [] : [`--confirm=${inputs.confirm}`]),
    ...(fields.length === 0 ? [] : ['--from-file=-']),
    '--',
    ...names.flatMap((name) => (inputs[name] === undefined ? [] : [String(inputs[name])])),
  ];
  const stdin = fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
  return runCommand(setup, { words, argv, stdin, signal });
}
