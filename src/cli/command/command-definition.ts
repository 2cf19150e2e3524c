import type { HistoryRecord } from '../../history/record/history-record.ts';
import { CliError, type Failure } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import type { Io } from '../core/io.ts';
import type { CommandInterface } from '../core/option-spec.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import type { Session } from './session.ts';
import type { Ui } from './ui.ts';

/** A command of the program. Its name is in `program/command-tree.ts`. */
export interface CommandDefinition extends CommandInterface {
  /** What it does, in a few sentences: at most three lines of its help. */
  readonly description: string;
  /** What few need to know. Only its manual page says it. */
  readonly details?: string | undefined;
  /** Command lines for the help, without `storectl`. */
  readonly examples: readonly string[];
  /** Lines after the examples in its help, printed as they are. */
  readonly notes?: readonly string[];
  /** Global flags that its own help lists, because it cannot do without them. */
  readonly listedGlobals?: readonly string[];
  /** Whether it supports `--dry-run`. Other commands refuse the flag instead of ignoring it. */
  readonly dryRun?: boolean;
  /** What an error says if this command, which changes something, had no effect: `nothing was sent`. */
  readonly withoutEffect?: string | undefined;
  /** Whether it prints no JSON. It then refuses `--fields`. */
  readonly withoutJson?: boolean;
  run(call: CommandCall): Promise<CommandResult | undefined>;
}

/** What a command is given. */
export interface CommandCall {
  readonly ui: Ui;
  readonly session: Session;
  readonly parsed: ParsedCommand;
  /** For a command that runs others. */
  readonly program: Program;
}

/** How a command ended that threw no error. */
export interface CommandResult {
  /** Default: 0. */
  readonly exitCode?: ExitCode;
  /** The records that it applied. */
  readonly applied?: readonly HistoryRecord[];
}

/** The program itself. */
export interface Program {
  /** The commands that are tools, by their words: `backup create`. */
  readonly tools: ReadonlyMap<string, () => Promise<CommandInterface>>;
  /** Runs a command in this process. Nothing is thrown. */
  run(argv: readonly string[], io: Io): Promise<ProgramEnd>;
}

/** How a command of the program ended. */
export interface ProgramEnd {
  readonly exitCode: ExitCode;
  readonly error: Failure | null;
  readonly applied: readonly HistoryRecord[];
  /** What the command worked with; undefined if it did not start. */
  readonly session: Session | undefined;
}

/** Global flags that this command refuses. They are neither in its help nor completed. */
export function refusedFlags({
  dryRun,
  withoutJson,
}: Pick<CommandDefinition, 'dryRun' | 'withoutJson'>): string[] {
  return [...(dryRun ? [] : ['--dry-run']), ...(withoutJson ? ['--fields'] : [])];
}

const outputErrors = ['output_failed', 'unwritable_file'];

/** Runs `report`, which tells the user what was applied. If its output cannot be written, its error says that: exit 12. */
export async function reportApplied<Value>(
  applied: readonly HistoryRecord[],
  report: () => Promise<Value> | Value,
): Promise<Value> {
  try {
    return await report();
  } catch (error) {
    const record = applied.at(-1);
    if (!(error instanceof CliError) || record === undefined || !outputErrors.includes(error.failure.code))
      throw error;
    throw new CliError({
      ...error.failure,
      exitCode: exitCodes.outputFailed,
      outcome: 'applied',
      operationId: record.id,
      next: [
        { say: 'the change was applied' },
        { run: ['history', 'show', record.id], rest: 'to see the response' },
      ],
    });
  }
}
