import { asObject } from '../../../base/json.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { ChangeRequest } from '../../../history/record/change-request.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import type { Connection } from '../../command/connection.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import type { ParsedCommand } from '../../core/parsed-command.ts';
import type { Printable } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import type { Row } from '../../output/tables.ts';
import type { Question, Questions } from '../../prompts/questions.ts';

/** One request of a command, complete and checked, with everything that the steps after `readInput` need. */
export interface Run {
  /** Where the request goes. */
  readonly target: Connection;
  readonly request: OperationRequest;
  readonly ui: Ui;
  readonly session: Session;
  /** The command as the user typed it. */
  readonly parsed: ParsedCommand;
  /** The flags of the request's fields, which error messages name. */
  readonly fields: readonly FieldFlag[];
  /** The questions that the user has answered, or null if the user was asked for nothing. */
  readonly questions: RunQuestions | null;
  /** Whether `--confirm` names the object in the path. */
  readonly isConfirmed: boolean;
  /** Writes a text to `--output-file`, if the flag was given. */
  writeOutput(text: string): void;
}

/** A run without flags and without questions. */
export function newRun(
  { ui, session, parsed }: Pick<Run, 'ui' | 'session' | 'parsed'>,
  target: Connection,
  request: OperationRequest,
): Run {
  return {
    target,
    request,
    ui,
    session,
    parsed,
    fields: [],
    questions: null,
    isConfirmed: false,
    writeOutput() {},
  };
}

/** The request of a run. The store id is that of the target. */
export interface OperationRequest {
  readonly operation: Operation;
  /** Path parameters other than the store id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Null for an operation without a body. */
  readonly body: Record<string, unknown> | null;
  /** JSON text that is sent unchanged. `body` is then the object that the text parses to. */
  readonly bodyText?: string;
}

/** The questions that a user has answered. Asking them again changes the request in place. */
export interface RunQuestions {
  /** Asks the last question again; Escape goes further back. */
  goBack(): Promise<void>;
  /** The questions of the command itself. */
  readonly first: Questions;
  /** A question for a field of the request, whether it was asked before or not. */
  questionOf(field: FieldFlag): Question;
  /** The question for the id in the path; empty if the path has none. */
  readonly questionsOfId: readonly Question[];
  /** The id of the backup that the user took before the change, null if the user wanted none, undefined if none was offered yet. */
  offeredBackup?: string | null;
}

/** The options of a change. */
export interface ChangeOptions
  extends Omit<ChangeRequest, 'operation' | 'parameters' | 'body' | 'bodyText' | 'fresh'> {
  /** The flag of the command that sends a change although the same was sent before. A refusal names the flag. */
  readonly allowDuplicateFlag?: string | undefined;
  /** Whether the document that the change sets parts of is read first. For a command that has not read it. */
  readonly readsFirst?: boolean | undefined;
}

/** The result of a change that was not sent, because `response` shows that nothing has to be changed. */
export function unchangedResult(response: unknown): Result {
  const document = { ...asObject(response), changed: false };
  return { response: document, text: JSON.stringify(document), etag: null, record: null };
}

/** The result of a change that was applied, or of a read. */
export interface Result {
  /** The JSON value that the service sent. */
  readonly response: unknown;
  /** The response as the text that the service sent. */
  readonly text: string;
  readonly etag: string | null;
  /** The record in the history, or null for a read. */
  readonly record: HistoryRecord | null;
  /** The change was applied by an earlier command, and this command sent nothing. */
  readonly isEarlier?: boolean;
}

type Shown = Printable | readonly Row[];

/** How a command prints its result. */
export interface ResultView {
  /** The line that says what a change did, without the check mark: `Created backup "nightly"`. Null for no line. */
  done?(result: Result, run: Run): string | null | Promise<string | null>;
  /** The response as text or rows; empty for nothing. Without this function, each field of the response is a row. */
  show?(result: Result, run: Run): Shown | Promise<Shown>;
  /** What else there is to know, for stderr; null for nothing. */
  note?(result: Result): Printable | null;
}
