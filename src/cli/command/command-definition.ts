import type { ExitCode } from '../core/exit-codes.ts';
import type { ArgumentSpec, OptionSpec } from '../core/option-spec.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import type { Context } from './context.ts';

/** A command of the program, without its name: `program.ts` knows where it stands in the tree. */
export interface CommandDefinition {
  /** What it does, in a few sentences for its help. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Command lines for the help, without `storectl`. */
  readonly examples: readonly string[];
  /** Dotted names of the fields that the answer is known to have, for `--fields`. */
  answerFields?(): readonly string[];
  /** Whether `--dry-run` shows what would be sent. Other commands refuse it: better than to do it. */
  readonly dryRun?: boolean;
  /** It prints nothing that `--fields` could choose from, and refuses it. */
  readonly withoutJson?: boolean;
  run(context: Context, parsed: ParsedCommand): Promise<ExitCode | undefined>;
}

/** Flags of every command that this one refuses: they are neither in its help nor completed. */
export function refusedFlags({
  dryRun,
  withoutJson,
}: Pick<CommandDefinition, 'dryRun' | 'withoutJson'>): string[] {
  return [...(dryRun ? [] : ['--dry-run']), ...(withoutJson ? ['--fields'] : [])];
}
