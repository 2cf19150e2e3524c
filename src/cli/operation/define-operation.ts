import type { Operation } from '../../contract/operation.ts';
import { fieldNames, refuseUnknownFields } from '../command/answer-fields.ts';
import type { CommandCall, CommandDefinition, CommandResult } from '../command/command-definition.ts';
import { reportApplied } from '../command/command-definition.ts';
import type { Session } from '../command/session.ts';
import { notTogether } from '../core/errors.ts';
import { getPath } from '../core/field-path.ts';
import { advancedGroup, type CommandTool, type OptionSpec } from '../core/option-spec.ts';
import { choiceOf, optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import { yourText } from '../core/sanitize.ts';
import { ciIdempotencyKey } from '../input/ci-run.ts';
import { deriveFlags, type FieldFlag } from '../input/field-flags.ts';
import { bodyOptions, readBody } from '../input/request-body.ts';
import { openOutputFile } from '../output/output-file.ts';
import type { Questions } from '../prompts/questions.ts';
import type { InputCommand, OperationCommand } from './call/operation-command.ts';
import { classOptions, fieldOptions, parameterArguments } from './call/operation-options.ts';
import type { OperationRequest, Result, Run } from './call/run.ts';
import { completeInput } from './complete-input.ts';
import { printDryRun, printResult } from './result/print-result.ts';
import { confirmRun, previewOf } from './send/confirm.ts';
import { announce, recordsOf } from './send/send-run.ts';

/** The command of an operation: input, guard, request, result. Its flags come from the contract. */
export function operationCommand(command: OperationCommand): CommandDefinition {
  const { operation } = command;
  const fields = operation.body === null ? [] : deriveFlags(operation.body, command.hints);
  const { options, ...described } = describeCommand(command, fields);
  return {
    ...described,
    answerFields: () => answerFields(command),
    dryRun: true,
    withoutEffect: operation.class === 'read' ? undefined : (command.withoutEffect ?? 'nothing was sent'),
    tool: describeTool(command),
    options: advancedLast([...options, ...classOptions(operation, command.confirm)]),
    run: (call) => runOperation(call, command, fields),
  };
}

function describeTool({ operation, toolNote, confirm, defaults = {} }: OperationCommand): CommandTool {
  return {
    description: [`${operation.summary}.`, toolNote].filter(Boolean).join(' '),
    sends: operation,
    inputs: Object.fromEntries(
      parameterArguments(operation).map(({ name, description }) => [name, description]),
    ),
    optional: [...Object.keys(defaults), ...(operation.class === 'keyed' ? ['idempotencyKey'] : [])],
    confirm,
  };
}

/** Known fields of the printed answer. Empty if the contract leaves the answer open. */
function answerFields({ operation, extraAnswerFields = [] }: OperationCommand): readonly string[] {
  return [...fieldNames(operation.response), ...extraAnswerFields];
}

function describeCommand(command: InputCommand, fields: readonly FieldFlag[]) {
  const { operation, description, details, examples } = command;
  return {
    description,
    details,
    examples,
    arguments: command.arguments ?? parameterArguments(operation),
    options: [
      ...fields.flatMap((field) => fieldOptions(withDefault(field, command.defaults))),
      ...(operation.body === null ? [] : bodyOptions),
      ...(command.options ?? []),
    ],
  };
}

function advancedLast(options: readonly OptionSpec[]): OptionSpec[] {
  const isAdvanced = ({ group }: OptionSpec) => Number(group === advancedGroup);
  return options.toSorted((one, other) => isAdvanced(one) - isAdvanced(other));
}

/** The field with its default value in the description. */
function withDefault(field: FieldFlag, defaults: InputCommand['defaults'] = {}): FieldFlag {
  const value = getPath(defaults, field.path);
  return value === undefined ? field : { ...field, description: `${field.description} (default ${value})` };
}

async function runOperation(
  call: CommandCall,
  command: OperationCommand,
  fields: readonly FieldFlag[],
): Promise<CommandResult | undefined> {
  const { ui, session, parsed } = call;
  // A read is harmless: its answer may have fields that the contract does not name.
  if (ui.fields !== null && !session.flags.dryRun && command.operation.class !== 'read') {
    refuseUnknownFields(ui.fields, answerFields(command));
  }
  const run = await prepareRun(call, command, fields);
  if (session.flags.dryRun) {
    printDryRun({ ...run, request: await withIdempotencyKey(run.request) });
    const note = command.dryRunNote?.(run);
    if (note) ui.notice(note);
    return undefined;
  }
  try {
    const write = openOutputFile(session.io, parsed);
    const result = await sendAsked(command, run);
    const applied = recordsOf(result);
    await reportApplied(applied, async () => {
      await printResult(run, command, result);
      write(result.text);
    });
    return { applied };
  } catch (error) {
    if (run.questions !== null) showLongTexts(run);
    throw error;
  }
}

/** A long text that was typed at a prompt exists nowhere else, so an error must not lose it. */
function showLongTexts({ request, ui, fields }: Run): void {
  for (const { path: field, fileFlag } of fields) {
    const text = getPath(request.body, field);
    if (fileFlag === null || typeof text !== 'string') continue;
    ui.writeAlways(yourText(`${text.replace(/\n$/, '')}\n`));
  }
}

/** Announces where a change goes. A user who was asked for input reviews it before it is sent. */
async function sendAsked(command: OperationCommand, run: Run): Promise<Result> {
  const { questions } = run;
  if (command.operation.class !== 'read') await announce(run);
  if (questions === null) return previewAndSend(command, run);
  const { reviewAndSend } = await import('./questions/review.ts');
  return reviewAndSend(run, questions, command);
}

/** Asks nothing but the confirmation of what cannot be undone. */
async function previewAndSend(command: OperationCommand, run: Run): Promise<Result> {
  // A preview may read from the service, so a wrong confirmation is refused before it.
  const isConfirmed = optionValue(run.parsed, '--confirm') !== undefined;
  if (command.confirm !== undefined && isConfirmed) await confirmRun(command, run);
  const { text, changesNothing, alwaysShow, send } = await previewOf(command, run);
  // What changed is printed with the result.
  if (text && (changesNothing || alwaysShow)) run.ui.notice(text);
  if (command.confirm !== undefined && !isConfirmed && !changesNothing) await confirmRun(command, run);
  return send();
}

/** A dry run shows an example of the key that a real run makes. */
async function withIdempotencyKey(request: OperationRequest): Promise<OperationRequest> {
  const { operation, body } = request;
  if (operation.class !== 'keyed' || body?.idempotencyKey !== undefined) return request;
  const { makeIdempotencyKey } = await import('../../client/idempotency-key.ts');
  return { ...request, body: { ...body, idempotencyKey: makeIdempotencyKey() } };
}

/** Reads and checks the input and the connection, so that mistakes are found before anything is sent. */
async function prepareRun(
  { ui, session, parsed }: CommandCall,
  command: InputCommand,
  fields: readonly FieldFlag[],
): Promise<Run> {
  const { operation } = command;
  const given = operation.body === null ? null : await readBody(session, operation, fields, parsed);
  const body = given?.body ?? null;
  const input = { ui, session, parsed, fields, lineOf: given?.lineOf };
  let questions: Questions | null = null;
  if (body !== null) {
    for (const [name, value] of Object.entries(command.defaults ?? {})) body[name] ??= value;
    if (command.whatChanges !== undefined && Object.keys(body).length === 0) {
      const { askWhatChanges } = await import('./questions/what-changes.ts');
      questions = await askWhatChanges(command.whatChanges, body, input);
    }
    await command.prepare?.(body, input);
    if (operation.class === 'keyed') await useKeyFromCi(session, operation, parsed, body);
  }
  return completeInput(input, command, body, questions);
}

/** A command that reads the input of an operation without sending it, such as `settings diff`. */
export function operationInputCommand(
  command: InputCommand & { run(run: Run): Promise<CommandResult | undefined> },
): CommandDefinition {
  const { operation } = command;
  const fields = operation.body === null ? [] : deriveFlags(operation.body, command.hints);
  return {
    ...describeCommand(command, fields),
    run: async (call) => command.run(await prepareRun(call, command, fields)),
  };
}

/** Sets the idempotency key that `--idempotency-from ci` asks for. */
async function useKeyFromCi(
  session: Session,
  operation: Operation,
  parsed: ParsedCommand,
  body: Record<string, unknown>,
): Promise<void> {
  if (choiceOf(parsed, '--idempotency-from', ['ci']) === undefined) return;
  if (body.idempotencyKey !== undefined) throw notTogether('--idempotency-from', '--idempotency-key');
  const { storeId } = await session.settings();
  body.idempotencyKey = await ciIdempotencyKey(session.io.env, operation.id, storeId?.value ?? '');
}
