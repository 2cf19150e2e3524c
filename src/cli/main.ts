import { CommanderError } from 'commander';
import { describeSystemError, errorCode } from '../base/system-error.ts';
import type { HistoryRecord } from '../history/record/history-record.ts';
import {
  type CommandDefinition,
  type CommandResult,
  type ProgramEnd,
  refusedFlags,
  reportApplied,
} from './command/command-definition.ts';
import type { GlobalFlags } from './command/global-flags.ts';
import { hintForFields } from './command/global-options.ts';
import type { OpenSession } from './command/session.ts';
import { CliError, type Failure, usageError } from './core/errors.ts';
import { type ExitCode, exitCodes } from './core/exit-codes.ts';
import type { Io } from './core/io.ts';
import type { ParsedCommand } from './core/parsed-command.ts';
import { printable, printableJson, printableLines } from './core/sanitize.ts';
import type { Audience } from './output/failure-text.ts';
import { askedWords } from './program/asked-words.ts';
import { tools } from './program/command-tree.ts';
import { createProgram } from './program/parser.ts';

/** Runs the program and returns its exit code. `argv` is without `node` and the script. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  return (await runProgram(argv, io)).exitCode;
}

/** Runs a command to its end. Turns errors into exit codes. */
async function runProgram(argv: readonly string[], io: Io): Promise<ProgramEnd> {
  const output = watchOutput(io);
  let ran = false;
  let result: CommandResult = {};
  let last: OpenSession | undefined;
  let withoutEffect: string | undefined;
  let isReported = false;
  const applied = () => result.applied ?? [];
  const run = async (definition: CommandDefinition, parsed: ParsedCommand) => {
    // Loaded on demand: help and a mistyped command do not need these modules.
    const { createUi } = await import('./command/ui.ts');
    const { openSession } = await import('./command/session.ts');
    const { readGlobalFlags } = await import('./command/global-flags.ts');
    for (const flag of refusedFlags(definition)) {
      if (!parsed.options.has(flag)) continue;
      throw usageError(`this command does not support ${flag}`, `remove ${flag}`);
    }
    ran = true;
    ({ withoutEffect } = definition);
    // A command that begins again after a login says the same only once.
    const said = new Set<string>();
    for (let next: GlobalFlags | null = readGlobalFlags(parsed); next !== null; ) {
      const given: GlobalFlags = next;
      const ui = await createUi(io, given, said);
      last = openSession(io, given, ui);
      const call = { ui, session: last.session, parsed, program: { tools, run: runProgram } };
      try {
        result = (await definition.run(call)) ?? {};
        next = null;
      } catch (thrown) {
        const error = await asUserError(thrown);
        if (!(error instanceof CliError) || !ui.canAsk) throw error;
        const { lacksStore, offerStore } = await import('./program/first-run.ts');
        if (!lacksStore(error)) throw error;
        next = await offerStore(call, given, error);
      } finally {
        await last.close();
      }
    }
  };
  try {
    const words = askedWords(argv);
    let help = '';
    const writeHelp = (part: string) => {
      help += part;
    };
    const parser = createProgram({ words, io, writeHelp, run });
    await parser.parseAsync(words, { from: 'user' }).catch(ignoreHelpExit);
    io.stdout.write(help);
    await reportApplied(applied(), () => output.flushed(ran, applied()));
    isReported = true;
    return {
      exitCode: result.exitCode ?? exitCodes.done,
      error: null,
      applied: applied(),
      session: last?.session,
    };
  } catch (error) {
    const failure = await toFailure(error, askedWords(argv));
    const audience = { now: Date.now(), flags: last?.session.flags, withoutEffect };
    await (wantsJson(argv) ? printAsJson : printForPeople)(failure, audience, io);
    isReported = saysOutcome(failure, await output.failed());
    return { exitCode: failure.exitCode, error: failure, applied: applied(), session: last?.session };
  } finally {
    io.keyboard?.close();
    io.keyboard = undefined;
    await last?.endHistory({ isReported });
  }
}

/** Converts errors of the history to errors for the user. Returns other errors unchanged. */
async function asUserError(error: unknown): Promise<unknown> {
  if (error instanceof CliError) return error;
  const { describeHistoryError } = await import('./operation/send/refusals.ts');
  return describeHistoryError(error);
}

/** Whether the parser has thrown after help or the version was shown. This is not an error. */
function ignoreHelpExit(error: unknown): void {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return;
  throw error;
}

/**
 * Detects output that could not be written. A reader that stops early, such as `head`, is an error only if something was
 * applied.
 */
function watchOutput({ stdout, stderr }: Io): {
  flushed(ran: boolean, applied: readonly HistoryRecord[]): Promise<void>;
  /** The streams that could not be written. */
  failed(): Promise<ReadonlySet<'stdout' | 'stderr'>>;
} {
  let failure: unknown = null;
  let brokenPipe: unknown = null;
  const failed = new Set<'stdout' | 'stderr'>();
  // Streams report failed writes asynchronously.
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error) => {
      failed.add(stream === stdout ? 'stdout' : 'stderr');
      // Windows calls it EOF.
      if (!['EPIPE', 'EOF'].includes(errorCode(error))) failure ??= error;
      else if (stream === stdout) brokenPipe ??= error;
    });
  }
  return {
    async flushed(ran, applied) {
      await settled();
      if (applied.length > 0) failure ??= brokenPipe;
      if (failure === null) return;
      throw new CliError({
        code: 'output_failed',
        exitCode: exitCodes.localState,
        what: `cannot write the output: ${describeSystemError(failure)}`,
        next: ran ? [{ say: 'the command itself succeeded' }] : [],
      });
    },
    async failed() {
      await settled();
      return failed;
    },
  };
}

/** Whether an error has told the user how the changes of its command ended. With exit 12 it does so in place of the output. */
function saysOutcome({ code, exitCode }: Failure, failed: ReadonlySet<'stdout' | 'stderr'>): boolean {
  if (code === 'bug' || failed.has('stderr')) return false;
  return exitCode === exitCodes.outputFailed || !failed.has('stdout');
}

/** Determined without the parser, because parsing may be what failed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).some((argument, index) => {
    if (argument === '--json' || argument.startsWith('--fields=')) return true;
    // Without a value it asks which fields there are.
    return argument === '--fields' && argv[index + 1]?.startsWith('-') === false;
  });
}

async function toFailure(error: unknown, argv: readonly string[]): Promise<Failure> {
  if (error instanceof CliError) return error.failure;
  if (error instanceof CommanderError) return (await describeParserError(error, argv)).failure;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: 'bug',
    exitCode: exitCodes.bug,
    what: `this is a bug in storectl: ${stack}`,
    next: [{ run: ['history', 'list'], rest: 'to see what was sent, and report this with the text above' }],
  };
}

async function describeParserError(error: CommanderError, argv: readonly string[]): Promise<CliError> {
  const [message = '', suggested] = error.message.replace(/^error: /, '').split('\n');
  const [, unknown] = /^unknown (?:command|option) '(.+)'$/.exec(message) ?? [];
  const { helpHint, hintFor } = await import('./program/hints.ts');
  const [, similar = ''] = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(suggested ?? '') ?? [];
  const names = similar === '' ? [] : similar.split(', ');
  const { hintForFlag } = await import('./program/flag-hints.ts');

  const hint =
    (unknown?.startsWith('-') ? await hintForFlag(unknown, argv) : null) ??
    (unknown === undefined ? hintForFields(argv) : hintFor(unknown, argv, names)) ??
    helpHint(argv);
  return usageError(describeUsage(message), hint, {
    code: error.code.replace(/^commander\./, '').replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
  });
}

/** An error of the parser in the words of the other messages. */
function describeUsage(message: string): string {
  const [, flag] = /^option '.*?(--[\w-]+) .*' argument missing$/.exec(message) ?? [];
  if (flag !== undefined) return `${flag} needs a value`;
  const [, allowed, given] = /^too many arguments.* Expected (\d+) .* got (\d+)/.exec(message) ?? [];
  if (allowed === '0') return 'this command takes no arguments';
  if (allowed !== undefined) return `too many arguments: ${given} given, ${allowed} expected`;
  return message.replace(/'(.+)'/, '"$1"');
}

async function printForPeople(
  failure: Failure,
  audience: Audience,
  { stderr, env, signal }: Pick<Io, 'stderr' | 'env' | 'signal'>,
): Promise<void> {
  const { describeFailure } = await import('./output/failure-text.ts');
  const { color, width, plain } = await (await import('./output/style.ts')).styleOf(stderr, env);
  const { message, steps } = describeFailure(failure, { ...audience, plain });
  const { requestId } = failure;
  const wrap = width === null ? (text: string) => text : (await import('./output/wrap.ts')).wrapText;
  const columns = width ?? 0;
  const indented = (text: string) => wrap(text, columns - 2).replace(/^/gm, '  ');
  const lines = [wrap(`error: ${printableLines(message)}`, columns).replace('error:', color.red('error:'))];
  lines.push(...steps.map((step) => indented(printableLines(step))));
  if (requestId !== undefined) lines.push(indented(`request id: ${printable(requestId)}`));
  // The message overwrites the ^C that the terminal has echoed.
  const { inAscii, isAsciiLocale } = await import('./output/ascii.ts');
  const text = width !== null && isAsciiLocale(env) ? inAscii(lines.join('\n')) : lines.join('\n');
  stderr.write(`${width !== null && signal.aborted ? '\r' : ''}${text}\n`);
}

async function printAsJson(failure: Failure, audience: Audience, { stderr }: Io): Promise<void> {
  const { failureDocument } = await import('./output/failure-text.ts');
  const error = failureDocument(failure, audience);
  stderr.write(`${printableJson(JSON.stringify({ error }))}\n`);
}
