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

/** A call of an operation, complete and checked: where it goes, what is sent, and who asked for it. */
export interface Run {
  readonly target: Connection;
  readonly request: OperationRequest;
  readonly ui: Ui;
  readonly session: Session;
  /** What the user typed. */
  readonly parsed: ParsedCommand;
  /** The flags of the request's fields, which error messages name. */
  readonly fields: readonly FieldFlag[];
  /** The questions the user answered, or null if nothing was asked. */
  readonly questions: RunQuestions | null;
  /** Whether `--confirm` has named the object in the path. */
  readonly isConfirmed: boolean;
  /** Writes a text to `--output-file`, if it was given. */
  writeOutput(text: string): void;
}

/** A run that no flags and no questions belong to. */
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

/** What is sent. The store id is the target's. */
export interface OperationRequest {
  readonly operation: Operation;
  /** Path parameters other than the store id. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Null for an operation without a body. */
  readonly body: Record<string, unknown> | null;
  /** JSON text that is sent unchanged. `body` is then its value if that is an object. */
  readonly bodyText?: string;
}

/** Lets a user who answered questions answer them again. The answers change the request in place. */
export interface RunQuestions {
  /** Asks the last question again; Escape goes further back. */
  goBack(): Promise<void>;
  /** The questions of the command itself. */
  readonly first: Questions;
  /** A question for a field of the request, whether it was asked before or not. */
  questionOf(field: FieldFlag): Question;
  /** The same for the id in the path, if there is one. */
  readonly questionsOfId: readonly Question[];
  /** The id of the backup that was offered, or null if the user wanted none: it is offered once. */
  offeredBackup?: string | null;
}

/** What a change may need besides its request. */
export interface ChangeOptions
  extends Omit<ChangeRequest, 'operation' | 'parameters' | 'body' | 'bodyText' | 'fresh'> {
  /** The flag of the command that sends what was sent before: a refusal names it. */
  readonly allowDuplicateFlag?: string | undefined;
  /** Nothing has read what the change sets parts of: it is read first, where the service can show it. */
  readonly readsFirst?: boolean | undefined;
}

/** The result of a change for which nothing had to be sent, because `answer` shows that all is as it should be. */
export function unchangedResult(answer: unknown): Result {
  const document = { ...asObject(answer), changed: false };
  return { answer: document, text: JSON.stringify(document), etag: null, record: null };
}

/** What a user gets of an operation that was applied, or of a read that was answered. */
export interface Result {
  /** The JSON value that the service sent. */
  readonly answer: unknown;
  /** The same as text, as the service sent it. */
  readonly text: string;
  readonly etag: string | null;
  /** The record in the history, or null for a read. */
  readonly record: HistoryRecord | null;
  /** It had been applied before, and this command sent nothing. */
  readonly isEarlier?: boolean;
}

type Shown = Printable | readonly Row[];

/** How the answer of an operation is shown. */
export interface ResultView {
  /** What a change did, in one line without the check mark: `Created backup "nightly"`; null for nothing. */
  done?(result: Result, run: Run): string | null | Promise<string | null>;
  /** The answer for people, as text or rows, empty for nothing; without this function, a record of its fields. */
  show?(result: Result, run: Run): Shown | Promise<Shown>;
}
