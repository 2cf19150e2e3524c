import type { Operation } from '../../../contract/operation.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import type { CommandDefinition } from '../../command/command-definition.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import type { Phrase } from '../../config/phrase.ts';
import type { ArgumentSpec, OptionSpec } from '../../core/option-spec.ts';
import type { ParsedCommand } from '../../core/parsed-command.ts';
import type { Printable } from '../../core/sanitize.ts';
import type { FieldFlag, FlagHints } from '../../input/field-flags.ts';
import type { GivenBody } from '../../input/request-body.ts';
import type { Row } from '../../output/tables.ts';
import type { OperationRequest, Result, Run } from './run.ts';

/** What `prepare` gets besides the body. */
export interface PreparedInput {
  readonly ui: Ui;
  readonly session: Session;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
  /** The line of `--from-file` that gave the value of a field. */
  readonly lineOf?: GivenBody['lineOf'] | undefined;
}

/** A command that reads the input of an operation: its flags, their defaults, and what a terminal is asked for. */
export interface InputCommand extends Pick<CommandDefinition, 'description' | 'details' | 'examples'> {
  readonly operation: Operation;
  readonly hints?: FlagHints;
  /** Default values of fields. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Changes or refuses the body before it is completed and checked. */
  prepare?(body: Record<string, unknown>, input: PreparedInput): Promise<void> | void;
  /** For an update: a user who gives no fields is asked which to change. */
  readonly whatChanges?: WhatChanges;
  /** Path parameter of an irreversible operation: the user types its value, or gives it with `--confirm`. */
  readonly confirm?: string;
  /** Which objects the user may choose from, such as `open disputes`; all unless given. */
  readonly candidates?: Candidates | undefined;
  /** Shows context for the questions once the path parameters are known, before other questions. */
  introduce?(run: Run): Promise<void>;
  /** Whether a terminal shows the request before it is sent even if nothing was asked. */
  readonly isReviewed?: boolean;
}

/** Objects that a command is for. */
export interface Candidates {
  readonly what: string;
  /** Lists only these, where the service knows the filter. */
  readonly query?: Readonly<Record<string, string>>;
  fits(fields: KnownObject['fields']): boolean;
}

export interface WhatChanges {
  /** A flag for the error. */
  readonly example: string;
  /** Whether an empty answer clears the field. */
  canClear?(path: readonly string[]): boolean;
  read(input: PreparedInput): Promise<CurrentValues>;
}

export interface CurrentValues {
  readonly current: Readonly<Record<string, unknown>>;
  /** Whether the value of a field is known; all are unless given. */
  isSeen?(path: readonly string[]): boolean;
}

/** What a run would change, found out before it is sent. */
export interface Preview {
  /** For people; the fields of the request unless given. */
  readonly text?: Printable;
  /** Then the user is not asked. */
  readonly changesNothing?: boolean;
  /** It says what the result does not, so it is shown to a user who was asked nothing, too. */
  readonly alwaysShow?: boolean;
  send(): Promise<Result>;
}

/**
 * The command of one operation. Each run has these steps, and calls these functions in this order:
 *
 * 1. Input: flags and files make the body. `prepare` may change it. `whatChanges` asks for fields if there are none.
 * 2. Questions for what is missing: the id (`candidates`), then `introduce`, then the fields.
 * 3. `preview` finds out what would change, and refuses what must not be sent.
 * 4. The user agrees to `question`, or confirms it with the id (`confirm`).
 * 5. `send` of the preview records and sends it.
 * 6. Result: `done` in one line, then `show`.
 */
export interface OperationCommand extends InputCommand, ResultView {
  /** What the user agrees to before the change is sent: `Update the store with these values?` */
  readonly question?: string | ((request: OperationRequest) => string);
  /** What an error says if the change had no effect; `nothing was sent` unless given. */
  readonly withoutEffect?: string;
  /** Fields of the printed answer that the contract does not name. */
  readonly extraAnswerFields?: readonly string[];
  /** What an assistant, and the user who confirms, has to know besides the summary of the operation. */
  readonly toolNote?: string;
  /** The flag that allows to send what was sent before. */
  readonly allowDuplicate?: string;
  /** For a change that needs more than its request, such as the current state of the service. */
  preview?(run: Run): Promise<Preview>;
  /** What a dry run adds if a real run would send more than the request shown, or another body; null for nothing. */
  dryRunNote?(run: Run): Phrase | null;
}

type Shown = Printable | readonly Row[];

/** How the answer of an operation is shown. */
export interface ResultView {
  /** What a change did, in one line without the check mark: `Created backup "nightly"`; null for nothing. */
  done?(result: Result, run: Run): string | null | Promise<string | null>;
  /** The answer for people, as text or rows, empty for nothing; without this function, a record of its fields. */
  show?(result: Result, run: Run): Shown | Promise<Shown>;
}
