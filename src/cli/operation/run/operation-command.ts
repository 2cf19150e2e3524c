import type { Operation } from '../../../contract/operation.ts';
import type { Context } from '../../command/context.ts';
import type { ArgumentSpec, OptionSpec } from '../../core/option-spec.ts';
import type { ParsedCommand } from '../../core/parsed-command.ts';
import type { FieldFlag, FlagHints } from '../../input/field-flags.ts';
import type { Questions } from '../../prompts/questions.ts';
import type { Performed, Run } from './run.ts';

/** What a command may look at to prepare a body. */
export interface PreparedInput {
  readonly context: Context;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
}

/** What is particular to a command that takes the input of an operation. */
export interface InputCommand {
  readonly operation: Operation;
  readonly description: string;
  readonly examples: readonly string[];
  readonly hints?: FlagHints;
  /** Values of fields that are sent where nothing else is given. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /**
   * Changes or refuses the body before it is completed and checked. Answers with what the user is to be asked, which it
   * may where the context can prompt; no questions are for a user who has given the input in another way.
   */
  prepare?(body: Record<string, unknown>, input: PreparedInput): Promise<Questions | null> | Questions | null;
  /** Path parameter of something that cannot be taken back: its value must be typed, or given with `--confirm`. */
  readonly confirm?: string;
  /** Shows what the questions are about, once the path parameters are known and before anything else is asked. */
  introduce?(run: Run): Promise<void>;
}

/** What a run would change, to be looked at before it is sent. */
export interface Preview {
  /** For people. */
  readonly text: string;
  /** Nobody needs to agree to what changes nothing. */
  readonly changesNothing: boolean;
  send(): Promise<Performed>;
}

/** What is particular to the command of one operation. */
export interface OperationCommand extends InputCommand, ResultView {
  /** What is done instead of sending the run and no more: looks before something that cannot be taken back. */
  perform?(run: Run): Promise<Performed>;
  /** The same for what can be said only from what the service has now; shown in place of the request's fields. */
  preview?(run: Run): Promise<Preview>;
  /** What a dry run says where more than the request that it shows would be sent, or another body. */
  dryRunNote?(run: Run): string | null;
}

/** How the answer of an operation is shown. */
export interface ResultView {
  /** The answer for people; without it, a record of its fields. */
  show?(answer: unknown, run: Run): string;
  /** The id that `--quiet` prints, if there is one; without it, the `id` of the answer, which then must have one. */
  id?(answer: unknown): unknown;
}
