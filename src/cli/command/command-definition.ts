import type { ExitCode } from '../core/exit-codes.ts';
import type { CommandInterface } from '../core/option-spec.ts';
import type { ParsedCommand } from '../core/parsed-command.ts';
import type { Context } from './context.ts';

/** A command of the program. Its name is in `program/command-tree.ts`. */
export interface CommandDefinition extends CommandInterface {
  /** What it does, in a few sentences for its help. */
  readonly description: string;
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
  run(context: Context, parsed: ParsedCommand): Promise<ExitCode | undefined>;
}

/** Global flags that this command refuses. They are neither in its help nor completed. */
export function refusedFlags({
  dryRun,
  withoutJson,
}: Pick<CommandDefinition, 'dryRun' | 'withoutJson'>): string[] {
  return [...(dryRun ? [] : ['--dry-run']), ...(withoutJson ? ['--fields'] : [])];
}
