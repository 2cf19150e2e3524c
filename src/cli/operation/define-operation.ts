import type { Operation } from '../../contract/operation.ts';
import type { History } from '../../history/journal.ts';
import { warnOfUnknownFields } from '../command/answer-fields.ts';
import {
  type ArgumentSpec,
  type CommandDefinition,
  type OptionSpec,
  optionValue,
  type ParsedCommand,
} from '../command/command-definition.ts';
import type { Connection, Context } from '../command/context.ts';
import { fieldNames } from '../completion/known-values.ts';
import { usageError } from '../core/errors.ts';
import type { ExitCode } from '../core/exit-codes.ts';
import { getPath } from '../core/field-path.ts';
import { printableLines } from '../core/sanitize.ts';
import { ciIdempotencyKey } from '../input/ci-run.ts';
import { deriveFlags, type FieldFlag, type FlagHints } from '../input/field-flags.ts';
import { bodyOptions, completeInput, readBody } from '../input/request-body.ts';
import { beginFile, outputFileOption } from '../output/output-file.ts';
import type { Questions } from '../prompts/questions.ts';
import type { Interview } from './questions/ask-missing.ts';
import { classOptions, fieldOptions, parameterArguments } from './run/operation-options.ts';
import { printDryRun, printResult, type ResultView } from './run/print-result.ts';
import { type Performed, perform } from './run/send.ts';

/** A call of an operation, complete and checked, on its way. */
export interface Run {
  readonly context: Context;
  readonly connection: Connection;
  readonly operation: Operation;
  readonly fields: readonly FieldFlag[];
  readonly parsed: ParsedCommand;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown> | null;
  /** Asks the user again, where they were asked for some of it and are there to look at the whole of it. */
  readonly interview: Interview | null;
  /** JSON text that is sent as it is; `body` is then what it parses to, where that is an object. */
  readonly bodyText?: string;
  /** ETag that the service must still have, where one is known. */
  readonly ifMatch?: string;
  /** The document that is about to be replaced, kept in the history so that it can be put back. */
  readonly former?: string;
  /** Backup that undoes this restore, kept in the history for the case that the restore is taken up again. */
  readonly safetyBackupId?: string;
  /** Looks at the history, while no other process begins the same operation, before anything is sent. */
  check?(history: History): Promise<void>;
}

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

/** The command of an operation: input, guard, request, result. Its flags come from the contract. */
export function operationCommand(command: OperationCommand): CommandDefinition {
  const { operation } = command;
  const fields = operation.body === null ? [] : deriveFlags(operation.body, command.hints);
  const { options, ...described } = describeCommand(command, fields);
  return {
    ...described,
    answerFields: () => fieldNames(operation.response),
    dryRun: true,
    options: [...options, ...classOptions(operation, command.confirm)],
    run: (context, parsed) => runOperation(context, command, fields, parsed),
  };
}

function describeCommand(command: InputCommand, fields: readonly FieldFlag[]) {
  const { operation, description, examples } = command;
  return {
    description,
    examples,
    arguments: command.arguments ?? parameterArguments(operation),
    options: [
      ...fields.flatMap((field) => fieldOptions(withDefault(field, command.defaults), operation.id)),
      ...(operation.body === null ? [] : bodyOptions),
      ...(command.options ?? []),
    ],
  };
}

/** The field, its description with what is sent where it is not given. */
function withDefault(field: FieldFlag, defaults: InputCommand['defaults'] = {}): FieldFlag {
  const value = getPath(defaults, field.path);
  return value === undefined ? field : { ...field, description: `${field.description} (default ${value})` };
}

async function runOperation(
  context: Context,
  command: OperationCommand,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<ExitCode | undefined> {
  const run = await prepareRun(context, command, fields, parsed);
  if (context.flags.dryRun) {
    printDryRun(await withIdempotencyKey(run));
    const note = command.dryRunNote?.(run) ?? null;
    if (note !== null) context.notice(note);
    return undefined;
  }
  const file = optionValue(parsed, outputFileOption.flag);
  const pending = file === undefined ? null : beginFile(context.io.cwd, file);
  try {
    const performed = await performAsked(command, run);
    await printResult(run, command, performed);
    pending?.complete(`${performed.text}\n`);
  } catch (error) {
    pending?.discard();
    if (run.interview !== null) showLongTexts(run);
    throw error;
  }
  return undefined;
}

/** What somebody wrote at a question stands nowhere else. */
function showLongTexts({ context, fields, body }: Run): void {
  for (const { path: field, fileFlag, description } of fields) {
    const text = getPath(body, field);
    if (fileFlag === null || typeof text !== 'string') continue;
    context.notice(`\nWhat you wrote (${description}):\n`);
    context.noticeToCopy(`${printableLines(text)}\n`);
  }
}

/** Says where a change goes, and shows what the user was asked for as a whole, before it is sent. */
async function performAsked(command: OperationCommand, run: Run): Promise<Performed> {
  const { context, operation, interview } = run;
  if (operation.class !== 'read') {
    announce(run);
    if (context.flags.fields !== null) warnOfUnknownFields(context, fieldNames(operation.response));
  }
  if (interview !== null) {
    const { performLed } = await import('./questions/review.ts');
    return performLed(run, interview, command);
  }
  const preview = await command.preview?.(run);
  if (preview === undefined) return (command.perform ?? perform)(run);
  context.notice(preview.text);
  return preview.send();
}

/** A dry run shows a key of the kind that a real one would make. */
async function withIdempotencyKey(run: Run): Promise<Run> {
  const { operation, body } = run;
  if (operation.class !== 'keyed' || body?.idempotencyKey !== undefined) return run;
  const { makeIdempotencyKey } = await import('./run/idempotency-key.ts');
  return { ...run, body: { ...body, idempotencyKey: makeIdempotencyKey() } };
}

/** Input and connection of a call: everything that can be wrong before anything is sent. */
async function prepareRun(
  context: Context,
  command: InputCommand,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<Run> {
  const { operation } = command;
  const body = operation.body === null ? null : await readBody(context, fields, parsed);
  let questions: Questions | null = null;
  if (body !== null) {
    for (const [name, value] of Object.entries(command.defaults ?? {})) body[name] ??= value;
    questions = (await command.prepare?.(body, { context, fields, parsed })) ?? null;
    if (operation.class === 'keyed') await useKeyFromCi(context, operation, parsed, body);
  }
  const { confirm, introduce } = command;
  const rules = {
    operation,
    fields,
    confirm,
    questions,
    ...(introduce && {
      introduce: async (parameters: Readonly<Record<string, string>>) => {
        const connection = await context.connect();
        await introduce({
          context,
          connection,
          operation,
          fields,
          parsed,
          parameters,
          body,
          interview: null,
        });
      },
    }),
  };
  const input = await completeInput(context, rules, parsed, body);
  const connection = await context.connect();
  return { context, connection, operation, fields, parsed, ...input };
}

/** A command that takes the input of an operation, and does something else with it than sending it. */
export function operationInputCommand(
  command: InputCommand & { run(run: Run): Promise<ExitCode | undefined> },
): CommandDefinition {
  const { operation } = command;
  const fields = operation.body === null ? [] : deriveFlags(operation.body, command.hints);
  return {
    ...describeCommand(command, fields),
    run: async (context, parsed) => command.run(await prepareRun(context, command, fields, parsed)),
  };
}

/** The key that `--idempotency-from ci` asks for. */
async function useKeyFromCi(
  context: Context,
  operation: Operation,
  parsed: ParsedCommand,
  body: Record<string, unknown>,
): Promise<void> {
  const source = optionValue(parsed, '--idempotency-from');
  if (source === undefined) return;
  if (source !== 'ci')
    throw usageError(
      `--idempotency-from takes "ci", and not "${source}"`,
      'for example --idempotency-from ci',
    );
  if (body.idempotencyKey !== undefined) {
    throw usageError('--idempotency-from and an idempotency key exclude each other', 'leave one of them out');
  }
  const { storeId } = await context.settings();
  body.idempotencyKey = await ciIdempotencyKey(context.io.env, operation.id, storeId?.value ?? '');
}

/** Says where a change goes before it goes there. */
export function announce({ context, connection }: Run): void {
  const { dim } = context.err.color;
  context.notice(dim(`${connection.profile} → store ${connection.storeId} @ ${connection.host}`));
}
