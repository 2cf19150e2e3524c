import type { Operation } from '../../../contract/operation.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import type { ArgumentSpec, OptionSpec } from '../../core/option-spec.ts';
import type { ParsedCommand } from '../../core/parsed-command.ts';
import type { FieldFlag, FlagHints } from '../../input/field-flags.ts';
import type { GivenBody } from '../../input/request-body.ts';
import type { Run } from './run.ts';

/** The input of a command for its operation. The flags and arguments of the fields follow from the contract. */
export interface OperationInput {
  readonly operation: Operation;
  readonly hints?: FlagHints;
  /** Default values of fields. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Arguments in place of the id in the path. */
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Path parameter of an operation that cannot be taken back: the user types its value, or gives it with `--confirm`. */
  readonly confirm?: string;
  /** Fields of the printed response that the contract does not name. */
  readonly extraResponseFields?: readonly string[];
}

/** The steps that a command adds to `readInput`. */
export interface InputSteps {
  /** Changes or refuses the body before missing values are asked for. */
  prepare?(body: Record<string, unknown>, input: GivenInput): Promise<void> | void;
  /** For an update: a user who gives no fields is asked which to change. */
  readonly whatChanges?: WhatChanges;
  /** Shows what the user has to know for the questions. Called when the path parameters are known. */
  introduce?(run: Run): Promise<void>;
  /** Whether the list of ids offers all of them, too. Choosing that throws {@link ChoseAll}. */
  readonly offersAll?: boolean;
  /** Whether a terminal shows the request before it is sent even if the user was asked for nothing. */
  readonly isReviewed?: boolean;
  /** Whether the operation is sent, so that its response is printed. True by default. */
  readonly isSent?: boolean;
}

/** The input of the command line, before missing values are asked for. */
export interface GivenInput {
  readonly ui: Ui;
  readonly session: Session;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
  /** The line of `--from-file` that gave the value of a field. */
  readonly lineOf?: GivenBody['lineOf'] | undefined;
}

export interface WhatChanges {
  /** A flag for the error. */
  readonly example: string;
  /** Whether an empty answer clears the field. */
  canClear?(path: readonly string[]): boolean;
  read(input: GivenInput): Promise<CurrentValues>;
}

export interface CurrentValues {
  readonly current: Readonly<Record<string, unknown>>;
  /** Fields without a flag, such as those of a template: their names are values of the service. */
  readonly moreFields?: readonly FieldFlag[];
  /** Whether the value of a field is known. By default all are. */
  isSeen?(path: readonly string[]): boolean;
}
