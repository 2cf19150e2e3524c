import type { Operation } from '../../../contract/operation.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import type { CommandDefinition } from '../../command/command-definition.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import type { Phrase } from '../../config/phrase.ts';
import type { ArgumentSpec, OptionSpec } from '../../core/option-spec.ts';
import type { ParsedCommand } from '../../core/parsed-command.ts';
import type { FieldFlag, FlagHints } from '../../input/field-flags.ts';
import type { Questions } from '../../prompts/questions.ts';
import type { OperationRequest, Result, Run } from './run.ts';

/** What `prepare` gets besides the body. */
export interface PreparedInput {
  readonly ui: Ui;
  readonly session: Session;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
}

/** A command that reads the input of an operation. */
export interface InputCommand extends Pick<CommandDefinition, 'description' | 'details' | 'examples'> {
  readonly operation: Operation;
  readonly hints?: FlagHints;
  /** Default values of fields. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /**
   * Changes or refuses the body before it is completed and checked. Returns questions for the user, which are asked only
   * if the context can prompt, or null.
   */
  prepare?(body: Record<string, unknown>, input: PreparedInput): Promise<Questions | null> | Questions | null;
  /** For an update: a user who gives no fields is asked which to change. */
  readonly whatChanges?: WhatChanges;
  /** Path parameter of an irreversible operation: the user types its value, or gives it with `--confirm`. */
  readonly confirm?: string;
  /** Which of the known ids the user may choose from; all unless given. */
  readonly candidates?: Candidates | undefined;
  /** Shows context for the questions once the path parameters are known, before other questions. */
  introduce?(run: Run): Promise<void>;
}

export interface WhatChanges {
  /** A flag for the error. */
  readonly example: string;
  /** Whether an empty answer clears the field. */
  canClear?(path: readonly string[]): boolean;
  /** The current values. */
  read(input: PreparedInput): Promise<Record<string, unknown>>;
}

/** The known objects that an operation takes, if not all of a kind. */
interface Candidates {
  /** `open disputes`. */
  readonly what: string;
  fits(fields: KnownObject['fields']): boolean;
}

/** What a run would change, shown before it is sent. */
export interface Preview {
  /** For people. */
  readonly text: string;
  /** Then the user is not asked. */
  readonly changesNothing: boolean;
  /** It says what the result does not, so it is shown to a user who was asked nothing, too. */
  readonly isNews?: boolean;
  send(): Promise<Result>;
}

/** The command of one operation. */
export interface OperationCommand extends InputCommand, ResultView {
  /** Asked before an interactive change is sent: `Update the store with these values?` */
  readonly question?: string | ((request: OperationRequest) => string);
  /** What an error says if the change had no effect; `nothing was sent` unless given. */
  readonly withoutEffect?: string;
  /** Fields of the printed answer that the contract does not name. */
  readonly extraAnswerFields?: readonly string[];
  /** What an assistant, and the user who confirms, has to know besides the summary of the operation. */
  readonly toolNote?: string;
  /** The flag that allows to send what was sent before. */
  readonly allowDuplicate?: string;
  /** Replaces plain sending, for commands that check or read something first. */
  send?(run: Run): Promise<Result>;
  /** As `send`, for a change whose preview needs the current state of the service. */
  preview?(run: Run): Promise<Preview>;
  /** What a dry run adds if a real run would send more than the request shown, or another body; null for nothing. */
  dryRunNote?(run: Run): Phrase | null;
}

/** How the answer of an operation is shown. */
export interface ResultView {
  /** What a change did, in one line without the check mark: `Created backup "nightly"`; null for nothing. */
  done?(result: Result, run: Run): string | null | Promise<string | null>;
  /** The answer for people, empty for nothing; without this function, a record of its fields. */
  show?(result: Result, run: Run): string | Promise<string>;
  /** The id that `--quiet` prints, if any. Without this function it is the `id` of the answer, and required. */
  id?(answer: unknown): unknown;
}
